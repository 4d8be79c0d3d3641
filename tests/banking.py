"""Letting money come by transfer: bank files written for a test, orders, and what came of them."""

from collections.abc import Sequence
from datetime import date
from itertools import count

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import BankLine, Outcome, OwnBankAccount, Receipt
from accounts.services.bank_statements import ImportedFile, enter_own_account, import_bank_file
from pools.models import BetOrder, Pool, ReceiptDecision
from pools.services.bet_orders import Payer, make_bet_order, reference_of
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from pools.services.receipt_matching import match_receipts
from tests.desks import keeper
from tests.making import make_organizers
from totalizator.core import clock

OURS = "BY04AKBB30120000000000000017"
PAYER = "BY17ALFA30140000000000000042"
_number = count(1)


def own_account() -> OwnBankAccount:
    """The organizer's account at the bank."""
    return enter_own_account(iban=OURS, bank="AKBBBY2X", holder="ООО «Тотализатор»", by=keeper())


def csv_line(
    amount: int,
    purpose: str = "",
    *,
    reference: str | None = None,
    debit: bool = False,
    document: str = "",
    payer: str = "Иванова Анна",
    account: str = PAYER,
    on: date | None = None,
) -> str:
    """A line of a bank's table; each has a reference of its own unless told otherwise."""
    day = (on or clock.today()).strftime("%d.%m.%Y")
    money = f"{amount // 100},{amount % 100:02d}"
    own = f"R{next(_number):09d}" if reference is None else reference
    sides = (money, "") if debit else ("", money)
    return ";".join([OURS, day, own, document, *sides, "BYN", payer, account, purpose])


def bank_file(*lines: str) -> bytes:
    """A table of lines as the bank sends it."""
    heading = (
        "Счёт;Дата;Референс;Номер документа;Дебет;Кредит;Валюта;Корреспондент;Счёт корреспондента;Назначение платежа"
    )
    return "\r\n".join([heading, *lines, ""]).encode("cp1251")


def take_in(*lines: str) -> ImportedFile:
    """Import a file of these lines."""
    own_account()
    return import_bank_file(content=bank_file(*lines), actor="test")


def transfer(amount: int, purpose: str, *, on: date | None = None) -> Receipt:
    """Let one transfer come, and be looked at."""
    (receipt,) = transfers(csv_line(amount, purpose, on=on))
    return receipt


def transfers(*lines: str) -> Sequence[Receipt]:
    """Let several transfers come in one file, and be looked at."""
    statement = take_in(*lines).statements[0]
    match_receipts()
    return list(Receipt.objects.filter(line__statement=statement).order_by("pk"))


def order_bet(pool: Pool, selections: str = "1", stake: int = 100, key: str | None = None) -> BetOrder:
    """An order for a bet, not paid yet."""
    return make_bet_order(
        pool_code=pool.code,
        selections=selections,
        stake=stake,
        payer=Payer("Иванова Анна", PAYER),
        consent=True,
        actor="user:1",
        idempotency_key=key or f"order-{next(_number)}",
    )


def pay_for(order: BetOrder, amount: int | None = None, *, on: date | None = None) -> Receipt:
    """Let the payment for an order come: the whole stake unless told otherwise."""
    return transfer(order.stake if amount is None else amount, f"Ставка {reference_of(order)}", on=on)


def in_suspense() -> int:
    """What waits in the ledger."""
    return balance(ledger_account(AccountKind.BANK_SUSPENSE))


def in_bank() -> int:
    """What is in the bank by the ledger."""
    return balance(ledger_account(AccountKind.BANK))


def lines() -> int:
    """How many lines were ever booked."""
    return BankLine.objects.count()


def decide(receipt: Receipt, outcome: Outcome, target: Target | None = None) -> ReceiptDecision:
    """Let one person propose and another approve what becomes of a receipt that waits."""
    one, other = make_organizers()
    proposal = propose_decision(
        line_id=receipt.pk,
        outcome=outcome,
        target=target or Target(),
        reason="Плательщик не указал, за что платит.",
        document="Акт 7",
        proposed_by=one,
    )
    return approve_decision(proposal=proposal, approved_by=other)

"""A bet of every channel in one pool: settled, and each winning goes back the way its stake came (¶9, ¶35, ¶41)."""

from collections.abc import Mapping
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pypdfium2
import pytest
from django.core.management import call_command
from django.utils import translation

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import OrderState, PaymentOrder, Till
from accounts.services.payment_files import export_payment_orders
from accounts.services.statements import statement_facts
from payouts.models import AgentCommission, PayableKind, Payment, PaymentMethod
from payouts.queries.guarantee import guarantee_sum
from payouts.queries.way_back import PayingDocument, pay_back_the_way_it_came
from payouts.services.agent_commissions import post_agent_commissions
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.services.crediting import credit_accounts
from payouts.services.receipts import print_receipt
from pools.models import Bet, Pool
from pools.services.calculating import calculate_settlement
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.all_channels import CHANNELS, PRICE, WAYS, Slip, Town, bet_every_way, make_town
from tests.banking import PAYER, csv_line, own_account, take_in
from tests.desks import keeper
from tests.making import account_of, make_organizers, make_pool
from tests.paying import broken, go_to, money_of, payable_from
from tests.refusals import every_row
from tests.resulting import close_by_clock, seal
from tests.settling import pot_of, settle, verify
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db

# Eight winners and seventeen losers at 1.00: a fund of 17.50, of which each winner has 1750 // 8, less 5 % of it.
LOSERS, TURNOVER = 17, 2_500
GROSS, TAX, NET = 218, 11, 207
IN_CASH = {"cash": "till", "agent": "agents", "terminal": "under_terminal", "paper": "till"}
WAY_BACK = {
    "cash": (PaymentMethod.CASH, PayingDocument.RECEIPT),
    "card": (PaymentMethod.CARD, PayingDocument.CARD),
    "account": (PaymentMethod.GAME_ACCOUNT, PayingDocument.STATEMENT),
    "transfer": (PaymentMethod.TRANSFER, PayingDocument.PAYMENT_ORDER),
    "agent": (PaymentMethod.CASH, PayingDocument.RECEIPT),
    "batch": (PaymentMethod.GAME_ACCOUNT, PayingDocument.STATEMENT),
    "terminal": (PaymentMethod.CASH, PayingDocument.RECEIPT),
    "paper": (PaymentMethod.CASH, PayingDocument.RECEIPT),
}


def test_bets_of_every_channel_meet_in_one_pot() -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips = bet_every_way(pool, town, "1", losers="X", more=LOSERS)
    assert set(slips) == set(WAYS)
    assert {way: slip.bet.channel for way, slip in slips.items()} == CHANNELS
    assert slips["terminal"].bet.till == town.under_terminal
    assert slips["agent"].bet.till == town.agents
    assert pot_of(pool) == TURNOVER == sum(bet.stake for bet in Bet.objects.filter(pool=pool))
    assert broken() == []


def test_every_winning_goes_back_the_way_its_stake_came(tmp_path: Path) -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips = bet_every_way(pool, town, "1", losers="X", more=LOSERS)
    before = money_in(town)
    statement = settle(pool, "1")
    assert (statement["turnover"], statement["fund"], statement["winnings"]) == (TURNOVER, 1_750, 8 * GROSS)
    book_payables(code=pool.code)
    post_agent_commissions(code=pool.code)
    assert AgentCommission.objects.get(pool=pool).amount == 6  # 3/50 of the one stake at the agent's
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 4
    pay_tickets(slips, town)
    assert_paid_back(slips, PayableKind.WINNING, gross=GROSS, tax=TAX)
    gained = {way: amount - before[way] for way, amount in money_in(town).items()}
    assert gained == {"cash": -2 * NET, "agent": -NET, "terminal": -NET, "card": NET, "account": NET, "batch": NET}
    assert_documents(slips, town, NET)
    assert_nothing_is_open(pool)
    assert_the_bundle_verifies(pool, tmp_path)


def test_every_stake_of_a_cancelled_pool_goes_back_the_way_it_came() -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips = bet_every_way(pool, town, "1", losers="X", more=0)
    before = money_in(town)
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="The match is off.", document="Letter 1", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert_returned(pool, slips, town, before)


def test_every_stake_of_a_pool_whose_event_is_void_goes_back_the_way_it_came(tmp_path: Path) -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips = bet_every_way(pool, town, "1", losers="X", more=0)
    before = money_in(town)
    assert settle(pool, "void", event_void=True)["refunds"] == 8 * PRICE
    assert_returned(pool, slips, town, before)
    assert_the_bundle_verifies(pool, tmp_path)


def money_in(town: Town) -> Mapping[str, int]:
    """Kopecks by way: in the tills, on the card, on the accounts."""
    return {
        "cash": balance(town.till.ledger_account),
        "agent": balance(town.agents.ledger_account),
        "terminal": balance(town.under_terminal.ledger_account),
        "card": town.card.money,
        "account": money_of(town.player),
        "batch": money_of(town.programmer),
    }


def pay_tickets(slips: Mapping[str, Slip], town: Town) -> None:
    """Bring each cash ticket to the till that sold it."""
    for way, name in IN_CASH.items():
        till: Till = getattr(town, name)
        assert till.cashier is not None
        slip = slips[way]
        pay_in_cash(
            ticket=slip.ticket, check_code=slip.check_code, cashier=till.cashier, idempotency_key=f"pay:{slip.ticket}"
        )


def assert_paid_back(slips: Mapping[str, Slip], kind: PayableKind, *, gross: int, tax: int) -> None:
    """Each ticket was paid once, its way; and the rule says the same of its bet."""
    for way, slip in slips.items():
        payment = Payment.objects.get(ticket=slip.ticket)
        assert (payment.kind, payment.gross, payment.tax) == (kind, gross, tax), way
        back = pay_back_the_way_it_came(slip.bet)
        assert (payment.method, back.document) == (back.method, back.document) == WAY_BACK[way], way


def assert_returned(pool: Pool, slips: Mapping[str, Slip], town: Town, before: Mapping[str, int]) -> None:
    """Whole stakes, untaxed (D-12)."""
    book_payables(code=pool.code)
    assert credit_accounts(code=pool.code) == 4
    pay_tickets(slips, town)
    assert_paid_back(slips, PayableKind.REFUND, gross=PRICE, tax=0)
    gained = {way: amount - before[way] for way, amount in money_in(town).items()}
    assert gained == {
        "cash": -2 * PRICE, "agent": -PRICE, "terminal": -PRICE, "card": PRICE, "account": PRICE, "batch": PRICE,
    }  # fmt: skip
    assert_documents(slips, town, PRICE)
    assert_nothing_is_open(pool)


def assert_documents(slips: Mapping[str, Slip], town: Town, amount: int) -> None:
    """Cash has a receipt with a number of its own, accounts a statement that shows the payment, the bank an order."""
    today = legal_day(clock.now())
    for number, way in enumerate(IN_CASH, start=1):
        payment = Payment.objects.select_related("till__point", "paid_by").get(ticket=slips[way].ticket)
        with translation.override("en"):
            receipt = text_of(print_receipt(payment=payment, asked_by=town.till.cashier or keeper()))
        assert f"No. {number}/{today.year}" in receipt
        assert slips[way].ticket in receipt
        assert f"BYN {plain_byn(amount)}" in receipt
    for way, player in (("account", town.player), ("batch", town.programmer)):
        facts = statement_facts(account_of(player), today, today)
        assert [(row.change, row.balance) for row in facts.rows if slips[way].ticket in row.cause][-1] == (
            amount,
            money_of(player),
        )
    order = PaymentOrder.objects.get()
    assert (order.amount, order.payee_account, slips["transfer"].ticket in order.purpose) == (amount, PAYER, True)
    given = export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    assert order.number.encode() in given.content
    take_in(csv_line(amount, "paid", debit=True, document=order.number))
    order.refresh_from_db()
    assert order.state == OrderState.EXECUTED


def text_of(pdf: bytes) -> str:
    return "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)).replace("\xa0", " ")


def assert_nothing_is_open(pool: Pool) -> None:
    """Pot and debts are empty, every proof holds, and the guarantee sum is the ledger's."""
    assert pot_of(pool) == 0
    for kind in (AccountKind.WINNINGS_DUE, AccountKind.REFUNDS_DUE):
        assert balance(ledger_account(kind, pool.code)) == 0
    assert balance(ledger_account(AccountKind.ORDERS_DUE)) == balance(ledger_account(AccountKind.BANK_SUSPENSE)) == 0
    assert broken() == []
    assert guarantee_sum().differing == []


def assert_the_bundle_verifies(pool: Pool, folder: Path) -> None:
    call_command("export_keys", str(folder / "keys.json"), stdout=StringIO())
    call_command("export_pool", pool.code, str(folder / "pool"), stdout=StringIO())
    verdict = verify(folder / "pool", folder / "keys.json")
    assert (verdict.stdout, verdict.stderr, verdict.returncode) == ("OK\n", "", 0)


def test_h3_nothing_is_paid_by_any_channel_before_the_settlement_is_official() -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips = bet_every_way(pool, town, "1", losers="X", more=LOSERS)
    close_by_clock(pool)
    seal(pool, "1")
    calculate_settlement(code=pool.code, actor="test")
    go_to(clock.now() + timedelta(days=2))  # whatever day it is: the settlement is only calculated
    before = every_row()
    with pytest.raises(DomainError) as caught:
        book_payables(code=pool.code)
    assert caught.value.code is Refusal.WRONG_STATE
    assert credit_accounts(code=pool.code) == 0
    for way, name in IN_CASH.items():
        till: Till = getattr(town, name)
        assert till.cashier is not None
        with pytest.raises(DomainError) as caught:
            pay_in_cash(
                ticket=slips[way].ticket,
                check_code=slips[way].check_code,
                cashier=till.cashier,
                idempotency_key=f"pay:{way}",
            )
        assert caught.value.code is Refusal.NOT_PAYABLE_YET
    assert every_row() == before
    assert not Payment.objects.exists()

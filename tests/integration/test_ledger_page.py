"""Every entry and every proof on the page docs/ledger.md, made by the services."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.db import transaction
from django.test import override_settings

from accounts.ledger.kinds import DEBIT_NORMAL, GUARDED, AccountKind
from accounts.ledger.models import Entry, LedgerAccount, Transfer
from accounts.ledger.reversal import reverse
from accounts.models import (
    Currency,
    HeldDeposit,
    LimitKind,
    LimitPeriod,
    OrderState,
    Outcome,
    PaymentInstrument,
    PaymentOrder,
    PlayLimit,
    Receipt,
    Till,
    UnmatchedItem,
    User,
    WhyOpen,
)
from accounts.services.deposit_returns import approve_return, propose_return, send_return
from accounts.services.limits import set_limit
from accounts.services.paying_over import note_paid_over
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import note_executed, note_exported
from accounts.services.persons import person_of
from accounts.services.provider_deposits import credit_found
from accounts.services.sending import send_withdrawal
from accounts.services.topups import top_up_by_card, top_up_in_cash
from accounts.services.transfer_references import ReferenceKind, TransferReference
from payouts.queries import money_certificate
from payouts.services.jackpot import add_to_jackpot
from payouts.services.overpaid import approve_overpaid, propose_overpaid
from payouts.services.receivables import book_receivable_payment
from payouts.services.reconciling import PROOFS
from payouts.tasks import apply_due_corrections, book_due_payables, credit_due_accounts, expire_due_winnings
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests import cancelled_pools, disputing
from tests.banking import csv_line, decide, order_bet, own_account, pay_for, take_in, transfer
from tests.cancelled_pools import cancel, go_past_the_limitation
from tests.carding import bought
from tests.correcting import make_right
from tests.desks import keeper
from tests.ending_games import ended, proposed
from tests.fakes.provider import DEBIT_CARD, FakeProvider, running, settings_of
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paper import sell_on_paper
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import settle
from tests.topping_up import ask_back, begin, hear, make_rate, named_bank, pay_in
from totalizator.core import clock

pytestmark = pytest.mark.django_db

PAGE = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")
ENTRIES = re.compile(r"^\| (\w+) \| ([\w:]+) \| ([\w:]+) \| (\d+) \|$", re.MULTILINE)


def test_every_entry_on_the_page_is_what_the_services_write() -> None:
    pools = live()
    names = {pool.code: letter for letter, pool in pools.items()}

    def named(account: LedgerAccount) -> str:
        return f"{account.kind}:{names[account.owner]}" if account.owner in names else account.kind

    entries = Entry.objects.select_related("debit", "credit", "transfer")
    written = Counter(
        (entry.transfer.kind, named(entry.debit), named(entry.credit), str(entry.amount)) for entry in entries
    )
    assert written == Counter(ENTRIES.findall(PAGE))
    assert broken() == []
    for pool in pools.values():
        certificate = money_certificate(pool)
        assert certificate is not None
        assert certificate.holds


def live() -> dict[str, Pool]:
    """The acts of the page, in its order."""
    till, player = make_till(1_000), make_player(1_000)
    pay_in(player, 500, "mistake")
    with transaction.atomic():
        reverse(Transfer.objects.get(key="deposit:bank:mistake"), occurred_at=clock.now(), cause="act 1")
    add_to_jackpot(game="sportloto", amount=5_000, document="Order 1", actor=make_organizers()[0])
    money_in_and_out(till)
    pools = {
        "W": won(till, player),
        "J": settled(till, jackpot={"level": "all", "share": "1"}),
        "N": settled(till, selection="X"),
        "M": settled(till, bets=2, min_dividend={"amount": 100, "below": "top_up"}),
        "C": cancelled(till, player),
        "T": transferred(till, player),
        "R": corrected(till),
        "B": given_back(till),
        "L": lapsed(till),
    }
    add_to_jackpot(game="totolot", amount=300, document="Order 2", actor=make_organizers()[0])
    ended(proposed("totolot", "sportloto"))
    return pools


def money_in_and_out(till: Till) -> None:
    player, (card,) = make_player(), bought(till, face_value=100)
    assert till.cashier is not None
    account = account_of(player)
    top_up_in_cash(account=account, amount=300, cashier=till.cashier, idempotency_key="300")
    top_up_by_card(player=player, series=card.series, number=card.number, code=card.code, idempotency_key="card")
    make_rate(Currency.USD, "3.2159")
    with running() as provider, override_settings(PAYMENT_PROVIDERS=settings_of(provider)):
        reference = begin(player, 1_001, Currency.USD)
        hear(provider.message("deposit", reference, instrument=DEBIT_CARD))
        note_paid_over(provider="fake", received=3_187, held=3_219, reference="line 1", by=keeper())
        ask_back(player, 2_000, named_bank(player))
        order = PaymentOrder.objects.get()
        note_exported(orders=[order], file_digest="sha256:0", actor="test")
        note_executed(order=order, bank_reference="line 2", actor="test")
        card_there = PaymentInstrument.objects.get(account=account, provider="fake")
        paid = ask_back(player, 500, card_there)
        send_withdrawal(withdrawal=paid)
        hear(provider.message("payout", paid.reference))
        provider.refusing = True
        send_withdrawal(withdrawal=ask_back(player, 100, card_there))
        provider.refusing = False
        held_deposits(provider)


def held_deposits(provider: FakeProvider) -> None:
    """Two deposits that come when they may not be credited: one goes back, one is credited when it may be."""
    (one, other), player = make_organizers(), make_player()
    back, later = begin(player, 1_000), begin(player, 700)
    block = set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1, actor="test")
    for reference in (back, later):
        hear(provider.message("deposit", reference))
        provider.payments[reference]["outcome"] = "done"
    PlayLimit.objects.filter(pk=block.pk).delete()
    returned, credited = HeldDeposit.objects.order_by("pk")
    proposal = propose_return(held=returned, reason="Letter 1", proposed_by=one)
    send_return(back=approve_return(proposal=proposal, approved_by=other))
    hear(provider.message("refund", proposal.reference))
    item = UnmatchedItem.objects.get(reference=credited.deposit.reference)
    credit_found(item=item, decision="Letter 2", decided_by=one)


def won(till: Till, player: User) -> Pool:
    pool = make_pool("sportloto-variant")
    bet_from_account(pool, player, "1", 100)
    comes, *_others = sell_slips(pool, till, ("1", 100), ("1", 100), ("X", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    credit_due_accounts()
    pay(comes, till)
    go_to(payable_until(pool))
    expire_due_winnings()
    return pool


def settled(till: Till, *, selection: str = "1", bets: int = 1, **terms: object) -> Pool:
    pool = make_pool("sportloto-variant", terms=terms)
    sell_slips(pool, till, *[(selection, 100)] * bets)
    settle(pool, "1")
    return pool


def cancelled(till: Till, player: User) -> Pool:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    bet_from_account(pool, player, "1", 100)
    (slip,) = sell_slips(pool, till, ("X", 100))
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    book_due_payables()
    credit_due_accounts()
    pay(slip, till)
    return pool


def given_back(till: Till) -> Pool:
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    pay(slip, till)
    disputing.cancelled(slip.bet.ticket)
    book_receivable_payment(ticket=slip.bet.ticket, amount=66, document="Order 12", booked_by=keeper())
    pay(slip, till, "the stake")
    return pool


def lapsed(till: Till) -> Pool:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, till, ("1", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    cancelled_pools.lapsed(cancelled_pools.proposed_lapse(pool))
    return pool


def transferred(till: Till, player: User) -> Pool:
    pool = make_pool("sportloto-variant")
    pay_for(order_bet(pool), 130)
    late = order_bet(pool)
    transfer(500, str(TransferReference(ReferenceKind.GAME_ACCOUNT, account_of(player).pk)))
    transfer(200, "no reference")
    decide(Receipt.objects.get(why=WhyOpen.OVERPAID), Outcome.RETURNED)
    decide(Receipt.objects.get(why=WhyOpen.NO_REFERENCE), Outcome.JACKPOT)
    order = PaymentOrder.objects.get(state=OrderState.DRAWN_UP)
    export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    take_in(csv_line(30, "back", debit=True, document=order.number))
    sell_on_paper(pool, till)
    go_to(pool.closes_at)
    decide(pay_for(late), Outcome.JACKPOT)
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    credit_due_accounts()
    return pool


def corrected(till: Till) -> Pool:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    comes, _stays, right = sell_slips(pool, till, ("1", 100), ("1", 100), ("X", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    pay(comes, till)
    go_to(make_right(pool, "X").payable_from)
    apply_due_corrections()
    proposal = propose_overpaid(
        ticket=comes.bet.ticket, kind="winning", reclaim=True, reason="x", document="Act 1", proposed_by=one
    )
    approve_overpaid(proposal=proposal, approved_by=other)
    pay(right, till)
    return pool


def test_the_page_names_every_kind_of_account_with_its_counters() -> None:
    section = PAGE.split("## Accounts")[1].split("## ")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in section.splitlines() if "| `" in line]
    assert {kind: (side, counters) for kind, _whose, side, counters, _holds in rows} == {
        kind.value: ("debit" if kind in DEBIT_NORMAL else "credit", "yes" if kind in GUARDED else "")
        for kind in AccountKind
    }


def test_the_page_names_every_proof() -> None:
    proofs = PAGE.split("## Proofs")[1]
    assert re.findall(r"^\| ([^|]+) \| [^|]+ \|$", proofs, re.MULTILINE)[1:] == list(PROOFS)

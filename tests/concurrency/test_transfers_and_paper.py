"""The same statement, receipt, order, decision, form or payment order, twice at the same moment: once."""

from collections.abc import Callable
from functools import partial
from threading import Barrier

import pytest
from django.db import IntegrityError

from accounts.ledger.posting import DuplicateTransfer
from accounts.models import BankLine, Outcome, PaymentFile, PaymentOrder, Placement, Receipt, User, WhyOpen
from accounts.services import receipts
from accounts.services.bank_statements import import_bank_file
from accounts.services.payment_files import export_payment_orders
from pools.models import Bet, BetOrder, ReceiptProposal
from pools.services.bet_orders import reference_of
from pools.services.closing import close_pool
from pools.services.paper_forms import approve_form
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from pools.services.receipt_matching import match_receipt
from tests.banking import bank_file, csv_line, decide, in_suspense, order_bet, own_account, take_in, transfer
from tests.concurrency.racing import race
from tests.making import make_organizers, make_pool, make_till
from tests.paper import enter, issue
from tests.paying import broken
from tests.settling import jackpot_of, pot_of
from totalizator.core.errors import DomainError

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_file_imported_twice_at_once_books_each_line_once() -> None:
    own_account()
    content = bank_file(*(csv_line(amount, "п") for amount in (100, 200, 300)))
    overlapping = bank_file(csv_line(700, "п"), *content.decode("cp1251").split("\r\n")[1:4])
    race([partial(import_bank_file, content=one, actor="test") for one in (content, content, overlapping, overlapping)])
    assert sorted(BankLine.objects.values_list("amount", flat=True)) == [100, 200, 300, 700]
    assert in_suspense() == 1_300
    assert broken() == []


def new_receipt(order: BetOrder) -> Receipt:
    take_in(csv_line(order.stake, str(reference_of(order))))
    return Receipt.objects.latest("pk")


def test_a_receipt_matched_by_two_workers_is_placed_once() -> None:
    receipt = new_receipt(order_bet(make_pool("sportloto-variant")))
    results = race([partial(match_receipt, receipt.pk)] * 4)
    assert sorted(map(bool, results)) == [False, False, False, True]
    assert Bet.objects.count() == Placement.objects.count() == 1
    assert broken() == []


def test_two_payments_of_one_order_make_one_bet() -> None:
    pool = make_pool("sportloto-variant")
    order = order_bet(pool)
    payments = [new_receipt(order) for _ in range(3)]
    race([partial(match_receipt, payment.pk) for payment in payments])
    whys = sorted(Receipt.objects.values_list("why", flat=True))
    assert whys == [WhyOpen.PAID_BEFORE, WhyOpen.PAID_BEFORE, WhyOpen.PLACED]
    assert (Bet.objects.count(), pot_of(pool), in_suspense()) == (1, 100, 200)
    assert broken() == []


def test_without_the_receipts_lock_only_the_key_of_the_transfer_stops_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The negative control: both see the money waiting, and the second ends in a crash instead of an answer."""
    both_have_read = Barrier(2)

    def unlocked(line_id: int) -> Receipt:
        receipt = Receipt.objects.select_related("line__words").get(pk=line_id)
        both_have_read.wait(timeout=30)
        return receipt

    proposal, approver = proposed(transfer(300, "no reference"))
    monkeypatch.setattr(receipts, "lock_receipt", unlocked)
    with pytest.raises((DuplicateTransfer, IntegrityError)):
        race([partial(approve_decision, proposal=proposal, approved_by=approver)] * 2)
    assert jackpot_of("sportloto-variant") == 300


def proposed(receipt: Receipt) -> tuple[ReceiptProposal, User]:
    """A proposal to give it to the jackpot, and who may approve it."""
    one, other = make_organizers()
    proposal = propose_decision(
        line_id=receipt.pk, outcome=Outcome.JACKPOT, target=Target(), reason="r", document="d", proposed_by=one
    )
    return proposal, other


def test_a_decision_approved_twice_at_once_is_carried_out_once() -> None:
    proposal, approver = proposed(transfer(300, "no reference"))
    results = race([partial(approve_decision, proposal=proposal, approved_by=approver)] * 4)
    assert not [result for result in results if isinstance(result, DomainError)]
    assert (jackpot_of("sportloto-variant"), in_suspense()) == (300, 0)
    assert broken() == []


def test_a_payment_at_the_closing_instant_is_a_bet_or_late_never_lost() -> None:
    pool = make_pool("sportloto-variant")
    payments = [new_receipt(order_bet(pool)) for _ in range(4)]
    closer = make_organizers()[0]
    acts: list[Callable[[], object]] = [partial(match_receipt, payment.pk) for payment in payments]
    acts.insert(2, partial(close_pool, code=pool.code, actor="test", early_by=closer))
    race(acts)
    bets = Bet.objects.count()
    whys = list(Receipt.objects.values_list("why", flat=True))
    assert whys.count(WhyOpen.PLACED) == bets
    assert whys.count(WhyOpen.LATE) == 4 - bets
    assert (pot_of(pool), in_suspense()) == (100 * bets, 100 * (4 - bets))
    assert broken() == []


def test_a_form_entered_and_approved_by_many_at_once_is_one_bet() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    entered = race([partial(enter, pool, till, number)] * 3)
    assert len([one for one in entered if not isinstance(one, DomainError)]) == 1
    approvers = make_organizers()
    race([partial(approve_form, number=number, approved_by=one) for one in (*approvers, *approvers)])
    assert (Bet.objects.count(), pot_of(pool)) == (1, 100)
    assert broken() == []


def test_orders_exported_twice_at_once_stand_in_one_file() -> None:
    for amount in (100, 200):
        decide(transfer(amount, "no reference"), Outcome.RETURNED)
    account, people = own_account(), make_organizers()
    race([partial(export_payment_orders, account=account, made_by=one) for one in people])
    assert [(file.orders, file.total) for file in PaymentFile.objects.all()] == [(2, 300)]
    assert len(set(PaymentOrder.objects.values_list("file_digest", flat=True))) == 1
    assert broken() == []

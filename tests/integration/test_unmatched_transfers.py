"""Money that found no place waits for two people: back to its payer, to where it was meant for, or, for Sportloto
alone and for three reasons, to the jackpot (¶9.13, ¶17.1-17.3)."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.utils.translation import override

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import Entry, Outcome, PaymentOrder, Receipt, User, WhyOpen
from pools.models import Bet, ReceiptProposal
from pools.queries.receipts import unexplained_debits, unmatched_lines
from pools.services.closing import close_pool
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from tests.banking import (
    PAYER,
    csv_line,
    decide,
    in_bank,
    in_suspense,
    order_bet,
    pay_for,
    take_in,
    transfer,
    transfers,
)
from tests.making import account_of, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of
from tests.refusals import refused
from tests.settling import jackpot_of
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def propose(receipt: Receipt, outcome: Outcome, by: User, target: Target | None = None) -> ReceiptProposal:
    return propose_decision(
        line_id=receipt.pk,
        outcome=outcome,
        target=target or Target(),
        reason="Плательщик не указал, за что платит.",
        document="Акт 7",
        proposed_by=by,
    )


def late_payment(game: str = "sportloto-variant") -> Receipt:
    pool = make_pool(game)
    order = order_bet(pool)
    go_to(pool.closes_at + timedelta(minutes=1))
    return pay_for(order)


def test_the_queue_tells_why_each_waits() -> None:
    order = order_bet(make_pool("sportloto-variant"))
    transfers(
        csv_line(300, "за участие"),
        csv_line(400, "BET-00000001-00"),
        csv_line(500, "ACC-00000001-00 ACC-00000002-00"),
    )
    pay_for(order, 50)
    assert [(line.open_amount, line.why) for line in unmatched_lines()] == [
        (300, WhyOpen.NO_REFERENCE),
        (400, WhyOpen.UNREADABLE),
        (500, WhyOpen.UNREADABLE),
        (50, WhyOpen.PART_PAID),
    ]
    first = next(iter(unmatched_lines()))
    assert (first.refusal, first.refusal_told) == ("", "")
    assert (first.payer_name, first.payer_account, first.purpose, first.proposal) == (
        "Иванова Анна",
        PAYER,
        "за участие",
        None,
    )
    assert in_suspense() == 1_250


@pytest.mark.parametrize(
    ("purpose", "kind"),
    [("за участие", TransferKind.JACKPOT_REQUISITES), ("BET-00000001-00", TransferKind.JACKPOT_UNREADABLE)],
)
def test_17_1_and_17_2_money_without_readable_requisites_goes_to_the_jackpot(purpose: str, kind: TransferKind) -> None:
    decide(transfer(300, purpose), Outcome.JACKPOT)
    assert (jackpot_of("sportloto-variant"), in_suspense()) == (300, 0)
    entry = Entry.objects.select_related("debit", "credit").get(transfer__kind=kind)
    assert (entry.debit.kind, entry.credit.kind, entry.credit.owner, entry.amount) == (
        AccountKind.BANK_SUSPENSE,
        AccountKind.JACKPOT,
        "sportloto",
        300,
    )
    assert broken() == []


def test_17_3_a_late_payment_goes_to_the_jackpot() -> None:
    decide(late_payment(), Outcome.JACKPOT)
    assert jackpot_of("sportloto-variant") == 100
    assert Entry.objects.filter(transfer__kind=TransferKind.JACKPOT_LATE_PAYMENT).count() == 1
    assert not Bet.objects.exists()
    assert broken() == []


def test_a_late_payment_for_totolot_does_not() -> None:
    receipt, (one, _other) = late_payment("totolot-variant"), make_organizers()
    assert refused(lambda: propose(receipt, Outcome.JACKPOT, one)).code == Refusal.WRONG_STATE


def test_a_payment_that_the_bank_had_in_time_does_not() -> None:
    pool = make_pool("sportloto-variant")
    order, paid_on = order_bet(pool), clock.today()
    go_to(pool.closes_at + timedelta(days=2))
    receipt, (one, _other) = pay_for(order, on=paid_on), make_organizers()
    assert receipt.why == WhyOpen.LATE
    refusal = refused(lambda: propose(receipt, Outcome.JACKPOT, one))
    assert (refusal.code, refusal.details["booked_on"]) == (Refusal.WRONG_STATE, paid_on)


def test_a_payment_for_a_pool_that_was_closed_earlier_by_hand_does_not() -> None:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    order = order_bet(pool)
    close_pool(code=pool.code, actor=other.actor, early_by=other)
    receipt = pay_for(order)
    assert receipt.why == WhyOpen.LATE
    told = {}
    for language in ("en", "ru"):
        with override(language):
            told[language] = next(iter(unmatched_lines())).refusal_told
    assert (receipt.refusal, told) == ("pool_closed", {"en": "The pool is closed", "ru": "Пул закрыт"})
    assert refused(lambda: propose(receipt, Outcome.JACKPOT, one)).code == Refusal.WRONG_STATE


def test_a_part_payment_does_not() -> None:
    receipt, (one, _other) = pay_for(order_bet(make_pool("sportloto-variant")), 40), make_organizers()
    assert refused(lambda: propose(receipt, Outcome.JACKPOT, one)).code == Refusal.WRONG_STATE


def test_it_goes_back_to_who_paid() -> None:
    decide(transfer(300, "за участие"), Outcome.RETURNED)
    order = PaymentOrder.objects.get()
    assert (order.amount, order.payee_name, order.payee_account) == (300, "Иванова Анна", PAYER)
    assert (in_suspense(), in_bank()) == (0, 300)
    assert broken() == []


def test_a_payer_without_an_account_needs_one_to_be_named() -> None:
    (receipt,) = transfers(csv_line(300, "почтовый перевод", account=""))
    one, other = make_organizers()
    refusal = refused(lambda: propose(receipt, Outcome.RETURNED, one))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "payee_account")
    proposal = propose(receipt, Outcome.RETURNED, one, Target(payee_account=PAYER))
    approve_decision(proposal=proposal, approved_by=other)
    assert PaymentOrder.objects.get().payee_account == PAYER


def test_the_rest_of_an_overpayment_goes_back() -> None:
    receipt = pay_for(order_bet(make_pool("sportloto-variant")), 130)
    decide(receipt, Outcome.RETURNED)
    assert [order.amount for order in PaymentOrder.objects.all()] == [30]
    assert list(receipt.placements.order_by("number").values_list("number", "outcome", "amount")) == [
        (1, "bet", 100),
        (2, "returned", 30),
    ]
    assert broken() == []


def test_it_goes_to_the_account_or_the_bet_that_people_recognise() -> None:
    player, order = make_player(), order_bet(make_pool("sportloto-variant"))
    decide(transfer(300, "для Анны"), Outcome.GAME_ACCOUNT, Target(account=account_of(player)))
    decide(transfer(100, "ставка"), Outcome.BET, Target(order=order))
    assert (money_of(player), Bet.objects.count(), in_suspense()) == (300, 1, 0)
    assert broken() == []


def test_people_cannot_make_a_bet_after_closing() -> None:
    pool = make_pool("sportloto-variant")
    order, receipt = order_bet(pool), transfer(100, "ставка")
    one, other = make_organizers()
    proposal = propose(receipt, Outcome.BET, one, Target(order=order))
    go_to(pool.closes_at)
    refusal = refused(lambda: approve_decision(proposal=proposal, approved_by=other))
    assert (refusal.code, refusal.details["why"]) == (Refusal.WRONG_STATE, WhyOpen.LATE)


def test_what_a_document_had_booked_leaves_the_bank_once() -> None:
    decide(transfer(5_000, "инкассация, накладная 12"), Outcome.BOOKED_BEFORE)
    assert (in_suspense(), in_bank()) == (0, 0)
    assert broken() == []


def test_two_people_decide() -> None:
    receipt, (one, other) = transfer(300, "за участие"), make_organizers()
    cashier = make_till().cashier
    assert cashier is not None
    assert refused(lambda: propose(receipt, Outcome.JACKPOT, cashier)).code == Refusal.NOT_ALLOWED
    proposal = propose(receipt, Outcome.JACKPOT, one)
    assert refused(lambda: approve_decision(proposal=proposal, approved_by=one)).code == Refusal.SAME_PERSON
    assert refused(lambda: approve_decision(proposal=proposal, approved_by=cashier)).code == Refusal.NOT_ALLOWED
    first = approve_decision(proposal=proposal, approved_by=other)
    assert approve_decision(proposal=proposal, approved_by=other) == first
    assert jackpot_of("sportloto-variant") == 300


def test_the_latest_proposal_counts() -> None:
    receipt, (one, other) = transfer(300, "за участие"), make_organizers()
    earlier, later = propose(receipt, Outcome.JACKPOT, one), propose(receipt, Outcome.RETURNED, one)
    assert next(iter(unmatched_lines())).proposal == later
    assert refused(lambda: approve_decision(proposal=earlier, approved_by=other)).code == Refusal.WRONG_STATE
    approve_decision(proposal=later, approved_by=other)
    assert refused(lambda: propose(receipt, Outcome.JACKPOT, one)).code == Refusal.WRONG_STATE
    assert list(unmatched_lines()) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"reason": " "}, "reason"), ({"document": ""}, "document"), ({"outcome": Outcome.GAME_ACCOUNT}, "account")],
)
def test_a_proposal_says_why_by_which_paper_and_where_to(changes: Mapping[str, object], field: str) -> None:
    receipt, (one, _other) = transfer(300, "за участие"), make_organizers()
    words: dict[str, object] = {
        "line_id": receipt.pk,
        "outcome": Outcome.JACKPOT,
        "target": Target(),
        "reason": "r",
        "document": "d",
        "proposed_by": one,
    }
    refusal = refused(lambda: propose_decision(**(words | dict(changes))))  # type: ignore[arg-type]
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_debits_that_no_order_of_ours_explains_are_listed() -> None:
    take_in(csv_line(270, "плата банку", debit=True))
    assert [(line.amount, line.words.purpose) for line in unexplained_debits()] == [(270, "плата банку")]
    assert in_bank() == 0

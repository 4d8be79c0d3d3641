"""Refunds that nobody collected in the limitation term: two people decide that they go to the jackpot (D-12)."""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.kinds import AccountKind, TransferKind
from payouts.models import Payable, PayableState
from payouts.queries import jackpot_history, money_certificate
from payouts.queries.refund_terms import limitation_end
from payouts.queries.refunds import RefundState
from payouts.queries.tickets import TicketStanding, ticket_status
from payouts.services.disputes import dispute_by_letter
from payouts.services.refund_lapses import approve_refund_lapse
from payouts.services.refund_watch import watch_refunds
from payouts.tasks import book_due_payables, credit_due_accounts
from tests.cancelled_pools import cancel, go_past_the_limitation, lapsed, proposed_lapse, register_of
from tests.making import bet_from_account, keep_register_fresh, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, sell_slips, states_of
from tests.refusals import every_row, refused
from tests.settling import jackpot_of, moved, owed
from totalizator.core.errors import Refusal
from totalizator.core.legal_calendar import load_non_working_days
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def test_the_limitation_is_three_years_to_the_end_of_a_day_that_is_worked() -> None:
    load_non_working_days(2029, 2031)
    for begun, last in (
        (datetime(2026, 12, 5, 10, tzinfo=UTC), date(2029, 12, 5)),
        (datetime(2026, 12, 5, 21, tzinfo=UTC), date(2029, 12, 6)),  # the sixth in Minsk
        (datetime(2028, 2, 29, 10, tzinfo=UTC), date(2031, 2, 28)),
        (datetime(2027, 1, 1, 10, tzinfo=UTC), date(2030, 1, 3)),  # over the New Year's holidays
    ):
        assert limitation_end(begun) == datetime(last.year, last.month, last.day, 21, tzinfo=UTC)


def test_d12_two_people_move_to_the_jackpot_what_nobody_collected_in_three_years_and_not_before() -> None:
    till, pool, (one, other) = make_till(1_000), make_pool("sportloto-variant"), make_organizers()
    collected, left, lost = sell_slips(pool, till, ("1", 100), ("X", 100), ("2", 100))
    bet_from_account(pool, make_player(100), "1", 100)
    cancellation = cancel(pool)
    book_due_payables()
    go_to(limitation_end(cancellation.cancelled_at) - timedelta(seconds=2))
    assert refused(partial(proposed_lapse, pool, one)).code == Refusal.WRONG_STATE
    go_past_the_limitation(cancellation)
    proposal = proposed_lapse(pool, one)
    assert (proposal.tickets, proposal.amount) == (3, 300)
    assert jackpot_of(pool.game) == 0  # nothing changes by a proposal
    keep_register_fresh()
    assert pay(collected, till).handed_over == 100
    assert refused(partial(approve_refund_lapse, proposal=proposal, approved_by=one)).code == Refusal.SAME_PERSON
    done = approve_refund_lapse(proposal=proposal, approved_by=other)
    assert (done.tickets, done.amount) == (2, 200)
    account = pool.bets.get(channel="account").ticket
    assert states_of(pool) == {
        collected.bet.ticket: PayableState.PAID,
        left.bet.ticket: PayableState.LAPSED,
        lost.bet.ticket: PayableState.LAPSED,
        account: PayableState.DUE,  # the organizer's own act, whose delay costs the player nothing
    }
    assert (jackpot_of(pool.game), owed(AccountKind.REFUNDS_DUE, pool)) == (200, 100)
    assert moved(pool, TransferKind.JACKPOT_REFUND) == 200
    assert dict(jackpot_history(pool.game)[-1].parts) == {TransferKind.JACKPOT_REFUND: 200}
    credit_due_accounts()
    certificate = money_certificate(pool)
    assert certificate is not None
    assert (certificate.holds, certificate.figures["refunds_lapsed"].ledger) == (True, 200)
    register = register_of(pool)
    assert (register.holds, register.total.by_state[RefundState.LAPSED]) == (True, 200)
    refusal = refused(partial(pay, left, till, "too-late"))
    assert refusal.code == Refusal.TERM_EXPIRED
    assert ticket_status(left.bet.ticket, left.check_code).standing == TicketStanding.EXPIRED
    record = JournalRecord.objects.get(act="approve_refund_lapse")
    assert record.after is not None
    assert (record.after["document"], record.after["amount"]) == ("Order 5", 200)
    assert broken() == []
    again = every_row()
    assert approve_refund_lapse(proposal=proposal, approved_by=other) == done
    assert every_row() == again


def test_what_is_refused_changes_nothing() -> None:
    till, pool, (one, other) = make_till(1_000), make_pool("sportloto-variant"), make_organizers()
    (slip,) = sell_slips(pool, till, ("1", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    for stranger in (make_player(), till.cashier):
        assert refused(partial(proposed_lapse, pool, stranger)).code == Refusal.NOT_ALLOWED
    first, second = proposed_lapse(pool, one), proposed_lapse(pool, one)
    act = partial(approve_refund_lapse, proposal=second)
    assert refused(partial(act, approved_by=make_player())).code == Refusal.NOT_ALLOWED
    assert refused(partial(act, proposal=first, approved_by=other)).code == Refusal.WRONG_STATE
    keep_register_fresh()
    pay(slip, till)
    assert refused(partial(act, approved_by=other)).code == Refusal.WRONG_STATE


def test_a_refund_that_is_disputed_waits_for_the_answer() -> None:
    till, pool, (one, _other) = make_till(1_000), make_pool("sportloto-variant"), make_organizers()
    disputed, free = sell_slips(pool, till, ("1", 100), ("X", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    proposal = proposed_lapse(pool)
    dispute_by_letter(ticket=disputed.bet.ticket, story="I was ill for three years.", opened_by=one)
    assert lapsed(proposal).tickets == 1
    assert states_of(pool) == {disputed.bet.ticket: PayableState.DUE, free.bet.ticket: PayableState.LAPSED}
    assert refused(partial(proposed_lapse, pool)).code == Refusal.WRONG_STATE


def test_the_organizer_is_told_once_of_what_became_decidable() -> None:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100), ("X", 100))
    cancellation = cancel(pool)
    book_due_payables()
    end = limitation_end(cancellation.cancelled_at)
    go_to(end - timedelta(seconds=2))
    assert watch_refunds() == 1  # they are overdue since long ago
    go_to(end)
    assert [watch_refunds(), watch_refunds()] == [1, 0]
    record = JournalRecord.objects.get(act="refunds_decidable")
    assert (record.subject, record.actor) == (f"pool:{pool.code}", "task:watch_refunds")
    assert record.after is not None
    assert (record.after["tickets"], record.after["amount"]) == (2, 200)


def test_the_proofs_find_what_lapsed_past_the_service_and_the_rows_never_change() -> None:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100), ("X", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    lapsed(proposed_lapse(pool))
    for table in ("payouts_refundlapse", "payouts_refundlapseproposal"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")
    other = make_pool("sportloto-variant")
    (slip,) = sell_slips(other, make_till(), ("1", 100))
    at = cancel(other).cancelled_at
    book_due_payables()
    assert broken() == []
    Payable.objects.filter(ticket=slip.bet.ticket).update(state=PayableState.LAPSED, settled_at=at)
    assert set(broken()) == {
        "what has lapsed has an entry in the jackpot, and only that",
        "what has lapsed was decided by two people, to the kopeck",
        "what is owed in the ledger is what is due on tickets",
    }

"""A ticket that was held costs its holder no time, and nobody who began an act alone ends it (K4, ¶45)."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.models import Role
from payouts.models import FormerRecipient, Mishap, Payable, Recipient
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.disputes import answer, consider, dispute_at_desk
from payouts.services.expiring import expire_winnings
from payouts.services.ticket_claims import open_claim, propose_decision
from tests.claiming import claimed, decided, shown, won
from tests.disputing import proposed
from tests.making import make_organizers, make_till, make_user
from tests.paying import broken, go_to, pay, payable_from, payable_until
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import end_of_legal_day, legal_day

pytestmark = pytest.mark.django_db


def ten_days_on() -> None:
    """To the end of the tenth legal day from now: the last instant is over."""
    go_to(end_of_legal_day(legal_day(clock.now()) + timedelta(days=10)))


@pytest.mark.parametrize("upheld", [True, False])
def test_who_disputed_in_the_term_is_paid_after_an_answer_that_came_later(upheld: bool) -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    assert till.cashier is not None
    dispute = dispute_at_desk(ticket=slip.bet.ticket, check_code=slip.check_code, story="Why?", opened_by=till.cashier)
    one, other = make_organizers()
    go_to(payable_until(pool) + timedelta(days=20))
    consider(dispute=dispute, words="The tape will be looked at.", considered_by=one)
    assert answer(dispute=dispute, upheld=upheld, words="Here is what was found.", answered_by=other)
    assert expire_winnings(code=pool.code) == 1  # the other winner, who did not come
    assert pay(slip, till).handed_over == 66
    assert broken() == []


def test_the_time_given_back_ends_too_and_is_journalled() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = claimed(slip, till, "STRANGER01")  # by the number alone, which is public
    assert refused(partial(pay, slip, till)).code == Refusal.TICKET_HELD
    term = payable_until(pool)
    go_to(term + timedelta(days=1))
    decided(claim, grant=False)
    until = end_of_legal_day(legal_day(clock.now()) + timedelta(days=10))
    assert Payable.objects.get(ticket=slip.bet.ticket).payable_until == until
    told = JournalRecord.objects.get(act="give_time_back")
    assert (told.subject, told.before, (told.after or {})["payable_until"]) == (
        f"bet:{slip.bet.ticket}",
        {"payable_until": term.isoformat()},
        until.isoformat(),
    )
    ten_days_on()
    assert refused(partial(pay, slip, till, "late")).code == Refusal.TERM_EXPIRED
    assert expire_winnings(code=pool.code) == 2
    assert broken() == []


def test_the_holder_who_was_sent_away_in_the_term_is_paid_after_it() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = claimed(slip, till, "STRANGER01")
    go_to(payable_until(pool) + timedelta(days=1))
    decided(claim, grant=False)
    assert pay(slip, till).handed_over == 66


def test_a_hold_that_ends_early_in_the_term_changes_nothing_and_one_begun_after_it_gives_nothing() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    term = payable_until(pool)
    decided(claimed(slip, till), grant=False)
    assert Payable.objects.get(ticket=slip.bet.ticket).payable_until == term
    go_to(term)
    assert till.cashier is not None
    dispute = dispute_at_desk(ticket=slip.bet.ticket, check_code=slip.check_code, story="Late", opened_by=till.cashier)
    one, other = make_organizers()
    consider(dispute=dispute, words="It came too late.", considered_by=one)
    answer(dispute=dispute, upheld=False, words="It came too late.", answered_by=other)
    assert Payable.objects.get(ticket=slip.bet.ticket).payable_until == term
    assert expire_winnings(code=pool.code) == 2


def test_who_took_a_claim_does_not_propose_its_decision() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    staff = make_user(Role.ORGANIZER)
    claim = open_claim(ticket=slip.bet.ticket, mishap=Mishap.LOST, story="Gone.", shown=shown(), opened_by=staff)
    act = partial(propose_decision, claim=claim, grant=True, reason="I know him", proposed_by=staff)
    assert refused(act).code == Refusal.SAME_PERSON
    assert claim.proposals.count() == 0


def test_a_request_made_again_is_answered_by_the_payment_it_led_to() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    assert (pay(slip, till, "winning").gross, pay(slip, till, "winning").gross) == (70, 70)
    one, other = make_organizers()
    approve_bet_cancellation(proposal=proposed(slip.bet.ticket, one), approved_by=other)
    assert pay(slip, till, "stake").gross == 100
    again = [pay(slip, till, key) for key in ("winning", "stake")]
    assert [(each.kind, each.gross, each.replayed) for each in again] == [
        ("winning", 70, True),
        ("refund", 100, True),
    ]


def test_what_an_earlier_document_said_is_kept_and_the_change_is_journalled() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    decided(claimed(slip, till), grant=False)
    assert till.cashier is not None
    other = open_claim(
        ticket=slip.bet.ticket,
        mishap=Mishap.LOST,
        story="Gone.",
        shown=shown(name="Somebody Else"),
        opened_by=till.cashier,
    )
    assert Recipient.objects.get().full_name == "Somebody Else"
    former = FormerRecipient.objects.get()
    assert (former.person_id, former.full_name, former.document) == (other.person_id, "Янка Купала", "MP1234567")
    assert JournalRecord.objects.get(act="recipient_changed").after == {"changed": ["full_name"]}
    open_claim(
        ticket=slip.bet.ticket,
        mishap=Mishap.LOST,
        story="Gone.",
        shown=shown(name="Somebody Else"),
        opened_by=till.cashier,
    )
    assert FormerRecipient.objects.count() == 1

"""Lost and damaged tickets: held at once, decided by two, paid to the claimant alone (K4)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.ledger.kinds import AccountKind
from accounts.models import Role, Till
from payouts.models import ClaimState, Mishap, TicketClaim
from payouts.queries import TicketStanding, pools_due_to_expire, ticket_status
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from payouts.services.ticket_claims import (
    approve_decision,
    lapse_claims,
    open_claim,
    pay_claim,
    propose_decision,
)
from tests.claiming import claimed, decided, person, shown, won
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips, states_of
from tests.refusals import refused
from tests.settling import jackpot_of, owed, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import end_of_legal_day, legal_day

pytestmark = pytest.mark.django_db


def paid(claim: TicketClaim, till: Till, number: str = "CLAIM00001") -> int:
    """Pay the claim at the till to who shows that document; return what was handed over."""
    assert till.cashier is not None
    return pay_claim(
        claim=claim, cashier=till.cashier, idempotency_key=f"claim:{claim.pk}", person=person(number)
    ).handed_over


def test_a_claimed_ticket_is_paid_to_nobody_who_brings_it() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = claimed(slip, till)
    assert (claim.state, claim.code_shown) == (ClaimState.OPEN, False)
    assert refused(partial(pay, slip, till)).code == Refusal.TICKET_HELD
    assert refused(partial(pay, slip, make_till(1_000))).code == Refusal.TICKET_HELD
    assert ticket_status(slip.bet.ticket, slip.check_code).standing == TicketStanding.HELD
    assert claimed(slip, till) == claim
    assert TicketClaim.objects.count() == 1
    decided(claim, grant=False)
    assert pay(slip, till).net == 66


def test_who_knows_the_code_is_paid_as_soon_as_two_people_agree() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = claimed(slip, till, with_code=True)
    person("ANOTHER001")
    assert refused(partial(paid, claim, till)).code == Refusal.WRONG_STATE
    decided(claim, grant=True)
    assert refused(partial(paid, claim, till, "ANOTHER001")).code == Refusal.NOT_ALLOWED
    assert paid(claim, till) == 66
    claim.refresh_from_db()
    assert (claim.state, states_of(pool)[slip.bet.ticket]) == (ClaimState.PAID, "paid")
    assert paid(claim, till) == 66  # the same request again
    assert refused(partial(pay, slip, till)).code == Refusal.ALREADY_PAID
    assert broken() == []


def test_the_number_alone_pays_only_when_the_term_is_over_and_the_claim_keeps_the_winning_so_long() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_until(pool) - timedelta(seconds=5))
    claim = decided(claimed(slip, till), grant=True)
    refusal = refused(partial(paid, claim, till))
    assert (refusal.code, refusal.details) == (Refusal.NOT_PAYABLE_YET, {"payable_from": payable_until(pool)})
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 1  # the other winner's, whom nobody has seen
    assert not pools_due_to_expire(clock.now()).exists()
    assert states_of(pool)[slip.bet.ticket] == "due"
    assert paid(claim, till) == 66
    assert (jackpot_of(pool.game), owed(AccountKind.WINNINGS_DUE, pool), broken()) == (70, 0, [])


def test_a_claim_after_the_term_is_too_late_and_a_refused_one_lets_the_winning_expire_with_the_bet_named() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_until(pool) - timedelta(seconds=5))
    claim = claimed(slip, till)
    go_to(payable_until(pool))
    other = next(ticket for ticket in states_of(pool) if ticket != slip.bet.ticket)
    assert till.cashier is not None
    late = partial(open_claim, ticket=other, mishap=Mishap.LOST, story="Gone", shown=shown(), opened_by=till.cashier)
    assert refused(late).code == Refusal.TERM_EXPIRED
    assert expire_winnings(code=pool.code) == 1
    decided(claim, grant=False)
    assert expire_winnings(code=pool.code) == 0  # who was sent away because of the claim has time to come again
    go_to(end_of_legal_day(legal_day(clock.now()) + timedelta(days=10)))
    assert list(pools_due_to_expire(clock.now())) == [pool]
    assert expire_winnings(code=pool.code) == 1
    assert (states_of(pool)[slip.bet.ticket], jackpot_of(pool.game)) == ("expired", 140)
    assert broken() == []


def test_a_claim_that_nobody_ends_lapses_thirty_days_after_the_term() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = claimed(slip, till)
    go_to(payable_until(pool) + timedelta(days=30) - timedelta(seconds=5))
    assert lapse_claims() == 0
    go_to(payable_until(pool) + timedelta(days=30))
    assert (lapse_claims(), lapse_claims()) == (1, 0)
    claim.refresh_from_db()
    assert claim.state == ClaimState.LAPSED
    assert expire_winnings(code=pool.code) == 1
    go_to(end_of_legal_day(legal_day(clock.now()) + timedelta(days=10)))
    assert expire_winnings(code=pool.code) == 1


def test_two_claimants_are_a_dispute_and_not_a_payment_until_two_people_choose() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    first = decided(claimed(slip, till, with_code=True), grant=True)
    second = claimed(slip, till, "ANOTHER001", with_code=True)
    first.refresh_from_db()
    assert [first.state, second.state] == [ClaimState.DISPUTED, ClaimState.DISPUTED]
    assert refused(partial(paid, first, till)).code == Refusal.WRONG_STATE
    assert refused(partial(paid, second, till, "ANOTHER001")).code == Refusal.WRONG_STATE
    decided(second, grant=True)
    first.refresh_from_db()
    assert first.state == ClaimState.REFUSED
    assert refused(partial(paid, first, till)).code in (Refusal.WRONG_STATE, Refusal.KEY_REUSED)
    assert paid(second, till, "ANOTHER001") == 66


def test_two_people_decide_and_neither_took_the_claim() -> None:
    till, staff = make_till(1_000), make_user(Role.ORGANIZER)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = open_claim(ticket=slip.bet.ticket, mishap=Mishap.DAMAGED, story="Wet", shown=shown(), opened_by=staff)
    other = make_user(Role.ORGANIZER)
    assert till.cashier is not None
    by_cashier = partial(propose_decision, claim=claim, grant=True, reason="x", proposed_by=till.cashier)
    assert refused(by_cashier).code == Refusal.NOT_ALLOWED
    proposal = propose_decision(claim=claim, grant=True, reason="The tape shows it", proposed_by=other)
    for same in (other, staff):
        assert refused(partial(approve_decision, proposal=proposal, approved_by=same)).code == Refusal.SAME_PERSON
    newer = propose_decision(claim=claim, grant=False, reason="It does not", proposed_by=other)
    third = make_user(Role.ORGANIZER)
    assert refused(partial(approve_decision, proposal=proposal, approved_by=third)).code == Refusal.WRONG_STATE
    approve_decision(proposal=newer, approved_by=third)
    claim.refresh_from_db()
    assert claim.state == ClaimState.REFUSED
    again = partial(propose_decision, claim=claim, grant=True, reason="x", proposed_by=other)
    assert refused(again).code == Refusal.WRONG_STATE


def test_what_cannot_be_claimed() -> None:
    till, pool, player = make_till(1_000), make_pool("sportloto-variant"), make_player(100)
    placed = bet_from_account(pool, player, "1", 100)
    loser, winner = sell_slips(pool, till, ("X", 100), ("1", 100))
    assert refused(partial(claimed, placed, till)).code == Refusal.NOT_ALLOWED
    early = claimed(winner, till)  # in play: held before anybody knows what it wins
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert refused(partial(pay, winner, till)).code == Refusal.TICKET_HELD
    assert refused(partial(claimed, loser, till)).code == Refusal.NOTHING_TO_PAY
    assert till.cashier is not None
    ask = partial(open_claim, mishap=Mishap.LOST, story="x", shown=shown(), opened_by=till.cashier)
    assert refused(partial(ask, ticket="NO-SUCH")).code == Refusal.NOT_FOUND
    assert refused(partial(ask, ticket=winner.bet.ticket, check_code="0" * 14)).code == Refusal.WRONG_CODE
    decided(early, grant=False)
    pay(winner, till)
    assert refused(partial(claimed, winner, till)).code == Refusal.ALREADY_PAID


def test_a_claim_is_evidence_and_tells_nobodys_name() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    claim = decided(claimed(slip, till), grant=False)
    for change in ("state = 'open'", "ticket = 'x'", "code_shown = true"):
        with pytest.raises(DatabaseError, match="evidence"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE payouts_ticketclaim SET {change} WHERE id = %s", [claim.pk])
    with connection.cursor() as cursor:
        cursor.execute("SELECT c::text FROM payouts_ticketclaim c")
        assert "Monday" not in str(cursor.fetchall())
    assert "Купала" not in str(list(JournalRecord.objects.values_list("after", "reason")))

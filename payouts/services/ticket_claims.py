"""Lost and damaged tickets: held at once, decided by two people, paid to the claimant alone (K4).

The number of a ticket is no secret, so it never pays by itself. Who knows the check code is paid once two people have
agreed; who does not, only after the term is over and nobody has brought the ticket. A claim that is made in the term
keeps the winning from expiring.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import Person, Role, Terminal, User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.locks import hold_ticket, lock_payables_of
from payouts.models import (
    CLAIM_MOVES,
    Booking,
    ClaimDecision,
    ClaimProposal,
    ClaimState,
    LargePayment,
    Mishap,
    Payable,
    Payment,
    TicketClaim,
)
from payouts.queries.ticket_claims import claims_due_to_lapse, live_claims, payable_without_code
from payouts.queries.tickets import over, standing_payable
from payouts.queries.way_back import is_paid_to_bearer
from payouts.services.cash import hand_over
from payouts.services.held_tickets import give_time_back
from payouts.services.large_payments import prepare_large_payment
from payouts.services.owed_now import owed_now, still_due
from payouts.services.recipients import ShownDocument, note_recipient
from pools.models import Bet
from pools.services.tickets import code_matches
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.core.transactions import one_transaction

_LAPSING = "task:lapse_ticket_claims"


def open_claim(
    *, ticket: str, mishap: Mishap, story: str, shown: ShownDocument, opened_by: User, check_code: str = ""
) -> TicketClaim:
    """Hold a ticket for who says it is theirs: from now on nobody is paid who just brings it.

    The same person again gets the first claim. If another person claims it too, both claims are disputed.

    :raises DomainError: NOT_ALLOWED for who works at no desk, or when the money goes to an account or card anyway;
        NOT_FOUND; WRONG_CODE for a check code that is not the ticket's; ALREADY_PAID; TERM_EXPIRED; NOTHING_TO_PAY;
        BAD_VALUE; UNDER_AGE.
    """
    if opened_by.role not in (Role.CASHIER, Role.ORGANIZER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier or the organizer's staff can do this."))
    story = written(story, field="story", most=2_000)
    bet = _bet(ticket)
    if check_code and not code_matches(bet.ticket, check_code, bet.check_hash):
        raise DomainError(Refusal.WRONG_CODE, _("This is not the check code of this ticket."), field="check_code")
    if not is_paid_to_bearer(bet):
        raise DomainError(Refusal.NOT_ALLOWED, _("This ticket need not be shown: its money goes where it came from."))
    with one_transaction():
        hold_ticket(bet.pool_id, bet.ticket)
        payable = standing_payable(lock_payables_of(bet.pool_id, bet.ticket))
        at = clock.now()
        _refuse_too_late(bet, payable, at)
        person = note_recipient(shown, at=at, actor=opened_by.actor)
        others = list(live_claims(bet.pool_id, bet.ticket).select_for_update(no_key=True).order_by("pk"))
        mine = next((claim for claim in others if claim.person_id == person.pk), None)
        if mine is not None:
            return mine
        claim = TicketClaim.objects.create(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            person=person,
            mishap=mishap,
            story=story,
            code_shown=bool(check_code),
            opened_by=opened_by,
            opened_at=at,
            state=ClaimState.DISPUTED if others else ClaimState.OPEN,
            moved_at=at,
        )
        write_journal(
            at=at,
            actor=opened_by.actor,
            act="claim_ticket",
            subject=claim.subject,
            after={"claim": claim.pk, "person": person.pk, "code_shown": claim.code_shown, "state": str(claim.state)},
        )
        for other in others:
            if other.state != ClaimState.DISPUTED:
                _move(other, ClaimState.DISPUTED, at=at, actor=opened_by.actor, act="dispute_ticket_claim")
    return claim


def propose_decision(*, claim: TicketClaim, grant: bool, reason: str, proposed_by: User) -> ClaimProposal:
    """Propose to pay the claimant, or to refuse; a later proposal takes the place of an earlier.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON for who took the claim; BAD_VALUE without a reason; WRONG_STATE for a
        claim that is at its end.
    """
    refuse_all_but_staff(proposed_by)
    refuse_same_person(claim.opened_by_id, proposed_by)
    reason = written(reason, field="reason", most=500)
    with one_transaction():
        claim = _locked(claim)
        _refuse_ended(claim, grant)
        at = clock.now()
        proposal = ClaimProposal.objects.create(
            claim=claim, grant=grant, reason=reason, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_claim_decision",
            subject=claim.subject,
            reason=reason,
            after={"claim": claim.pk, "grant": grant},
        )
    return proposal


def approve_decision(*, proposal: ClaimProposal, approved_by: User) -> ClaimDecision:
    """Carry out the latest proposal; who granted one of disputed claims has refused the others.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON for who proposed it or took the claim; WRONG_STATE.
    """
    refuse_all_but_staff(approved_by)
    claim = proposal.claim
    if approved_by.pk in (proposal.proposed_by_id, claim.opened_by_id):
        raise DomainError(Refusal.SAME_PERSON, _("Another person must approve it."))
    with one_transaction():
        lock_payables_of(claim.pool_id, claim.ticket)
        claim = _locked(claim)
        standing = ClaimDecision.objects.filter(proposal=proposal).first()
        if standing is not None:
            return standing
        if ClaimProposal.objects.filter(claim=claim, pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_ended(claim, proposal.grant)
        at = clock.now()
        decision = ClaimDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        actor, reason = approved_by.actor, proposal.reason
        if not proposal.grant:
            _move(claim, ClaimState.REFUSED, at=at, actor=actor, act="refuse_ticket_claim", reason=reason)
            return decision
        for other in live_claims(claim.pool_id, claim.ticket).exclude(pk=claim.pk).order_by("pk"):
            _move(other, ClaimState.REFUSED, at=at, actor=actor, act="refuse_ticket_claim", reason=reason)
        _move(claim, ClaimState.GRANTED, at=at, actor=actor, act="grant_ticket_claim", reason=reason)
    return decision


def pay_claim(
    *,
    claim: TicketClaim,
    cashier: User,
    idempotency_key: str,
    person: Person,
    terminal: Terminal | None = None,
) -> Payment:
    """Pay a granted claim in cash to the claimant, who shows the document once more.

    :raises DomainError: as `pay_in_cash`; NOT_ALLOWED for another person; WRONG_STATE until it is granted;
        NOT_PAYABLE_YET for who does not know the check code, until the term is over.
    """
    bet = _bet(claim.ticket)

    def refuse(payable: Payable, at: datetime) -> None:
        current = _locked(claim)
        _refuse_unready(current, payable, person, at)
        _move(current, ClaimState.PAID, at=at, actor=cashier.actor, act="pay_ticket_claim")

    return hand_over(
        bet=bet,
        guard=refuse,
        cashier=cashier,
        idempotency_key=idempotency_key,
        person=person,
        terminal=terminal,
        claimed_in_time=True,
    )


def prepare_large_claim(*, claim: TicketClaim, shown: ShownDocument, cashier: User) -> LargePayment:
    """Prepare the payment of a large winning to a claimant; it too needs a central desk and another person.

    :raises DomainError: as `prepare_large_payment` and `pay_claim`.
    """
    bet = _bet(claim.ticket)
    with one_transaction():
        payable = still_due(bet, standing_payable(lock_payables_of(bet.pool_id, bet.ticket)))
        prepared = prepare_large_payment(bet=bet, shown=shown, cashier=cashier, claimed_in_time=True)
        _refuse_unready(_locked(claim), payable, prepared.person, clock.now())
    return prepared


def lapse_claims(*, actor: str = _LAPSING) -> int:
    """Let claims go that nobody has ended long after the term, so that the winning expires; return how many."""
    lapsed = 0
    for found in list(claims_due_to_lapse(clock.now())):
        with one_transaction():
            lock_payables_of(found.pool_id, found.ticket)
            claim = _locked(found)
            at = clock.now()
            if claim.state in (ClaimState.OPEN, ClaimState.GRANTED):
                _move(claim, ClaimState.LAPSED, at=at, actor=actor, act="lapse_ticket_claim")
                lapsed += 1
    return lapsed


def _bet(ticket: str) -> Bet:
    number = ticket.strip().upper()
    bet = Bet.objects.select_related("pool").filter(pool__code=number.rpartition("-")[0], ticket=number).first()
    if bet is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no ticket with this number."), field="ticket")
    return bet


def _locked(claim: TicketClaim) -> TicketClaim:
    return TicketClaim.objects.select_for_update(no_key=True).get(pk=claim.pk)


def _refuse_too_late(bet: Bet, payable: Payable | None, at: datetime) -> None:
    """A ticket in play can be claimed too: it is held before anybody knows what it wins."""
    if payable is None and not Booking.objects.filter(pool_id=bet.pool_id).exists():
        return
    if over(still_due(bet, payable), at):
        owed_now(bet, payable, at)


def _refuse_ended(claim: TicketClaim, grant: bool) -> None:
    to = ClaimState.GRANTED if grant else ClaimState.REFUSED
    if to not in CLAIM_MOVES[ClaimState(claim.state)]:
        raise DomainError(Refusal.WRONG_STATE, _("This claim is decided already."), state=claim.state)


def _refuse_unready(claim: TicketClaim, payable: Payable, person: Person, at: datetime) -> None:
    if claim.state != ClaimState.GRANTED:
        raise DomainError(Refusal.WRONG_STATE, _("This claim is not granted."), state=claim.state)
    if person.pk != claim.person_id:
        raise DomainError(Refusal.NOT_ALLOWED, _("Another person has made this claim."), field="person")
    first = payable_without_code(payable)
    if not claim.code_shown and at < first:
        message = _("Without its check code this is paid from %(day)s, if nobody brings the ticket.")
        raise DomainError(Refusal.NOT_PAYABLE_YET, message % {"day": local_text(first)}, payable_from=first)


def _move(claim: TicketClaim, to: ClaimState, *, at: datetime, actor: str, act: str, reason: str = "") -> None:
    assert to in CLAIM_MOVES[ClaimState(claim.state)], (claim.state, to)
    before, claim.state, claim.moved_at = claim.state, to, at
    claim.save(update_fields=["state", "moved_at"])
    if to in (ClaimState.REFUSED, ClaimState.LAPSED):
        give_time_back(pool_id=claim.pool_id, ticket=claim.ticket, held_from=claim.opened_at, at=at, actor=actor)
    write_journal(
        at=at,
        actor=actor,
        act=act,
        subject=claim.subject,
        reason=reason,
        before={"claim": claim.pk, "state": str(before)},
        after={"claim": claim.pk, "state": str(to)},
    )

"""Disputes about a ticket: received, considered, answered; nothing is paid on it meanwhile (¶45, M1, M2)."""

import logging
from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import Role, User
from accounts.services.staff import refuse_all_but_staff, written
from payouts.locks import hold_ticket, lock_payables_of
from payouts.models import DISPUTE_MOVES, OPEN_DISPUTES, Dispute, DisputeKind, DisputeState, DisputeStep
from payouts.queries.disputes import answer_due, open_disputes
from payouts.queries.ticket_owners import own_bet
from payouts.queries.tickets import find_ticket
from payouts.services.held_tickets import give_time_back
from pools.models import Bet, PoolState
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.coupon import coupon_from_bits

logger = logging.getLogger(__name__)
_OVERDUE = "dispute_overdue"


def dispute_own_bet(*, ticket: str, story: str, opened_by: User) -> Dispute:
    """Take a player's dispute about a bet of the own game account, or a ticket that is bound to it.

    :raises DomainError: NOT_FOUND for anybody else's ticket; BAD_VALUE; WRONG_STATE when it is disputed already.
    """
    bet = own_bet(opened_by, ticket)
    if bet is None:
        raise _unknown()
    return _open(bet, DisputeKind.PLAYER, story, opened_by)


def dispute_at_desk(*, ticket: str, check_code: str, story: str, opened_by: User) -> Dispute:
    """Take a dispute at a desk from who holds the ticket and so knows its check code.

    :raises DomainError: NOT_ALLOWED; WRONG_CODE; BAD_VALUE; WRONG_STATE when the ticket is disputed already.
    """
    _refuse_all_but_desks(opened_by)
    return _open(find_ticket(ticket, check_code), DisputeKind.DESK, story, opened_by)


def dispute_by_letter(*, ticket: str, story: str, opened_by: User) -> Dispute:
    """Enter a dispute that came otherwise, as by letter.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE; WRONG_STATE when the ticket is disputed already.
    """
    refuse_all_but_staff(opened_by)
    bet = Bet.objects.select_related("pool").filter(ticket=ticket).first()
    if bet is None:
        raise _unknown()
    return _open(bet, DisputeKind.STAFF, story, opened_by)


def compare_ticket(*, ticket: str, check_code: str, selections: str, stake: int, compared_by: User) -> Dispute | None:
    """Compare what a ticket shows with the register; a difference is a case, and nothing is paid on it by itself (M2).

    The register prevails over the paper (¶13). None: they agree. Asked again it returns the standing case.

    :raises DomainError: NOT_ALLOWED; WRONG_CODE.
    """
    _refuse_all_but_desks(compared_by)
    bet = find_ticket(ticket, check_code)
    shown = difference_from_register(bet, selections=selections, stake=stake)
    if shown is None:
        return None
    standing = open_disputes().filter(pool=bet.pool, ticket=bet.ticket).first()
    if standing is not None:
        return standing
    return _open(bet, DisputeKind.DISCREPANCY, "The ticket and the register differ.", compared_by, shown=shown)


def difference_from_register(bet: Bet, *, selections: str, stake: int) -> Mapping[str, Mapping[str, object]] | None:
    """Return what a ticket shows and what is registered, where they differ; nothing is written down."""
    selected = coupon_from_bits(bet.pool.terms, bet.bits).selections
    registered: dict[str, object] = {"selections": selected, "stake": bet.stake}
    printed: dict[str, object] = {"selections": selections.strip(), "stake": stake}
    return None if printed == registered else {"printed": printed, "registered": registered}


def consider(*, dispute: Dispute, words: str, considered_by: User) -> Dispute:
    """Take a dispute up, with a note of what will be looked at.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE; WRONG_STATE.
    """
    return _move(dispute, DisputeState.CONSIDERED, words, considered_by)


def answer(*, dispute: Dispute, upheld: bool, words: str, answered_by: User) -> Dispute:
    """Answer a dispute: by another person than the one who considered it. What is owed is paid again from then on.

    Who disputed in the term has the dated number of days after the answer to be paid, whenever it comes.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; BAD_VALUE without words; WRONG_STATE.
    """
    return _move(dispute, DisputeState.UPHELD if upheld else DisputeState.REJECTED, words, answered_by)


def flag_overdue_disputes() -> list[Dispute]:
    """Journal and log, once each, what is not answered in its term; return the new ones (¶45)."""
    return [dispute for dispute in open_disputes().select_related("pool").order_by("pk") if _flag(dispute)]


def _flag(dispute: Dispute) -> bool:
    due, at = answer_due(dispute), clock.now()
    subject = f"dispute:{dispute.pk}"
    if due is None or at < due or JournalRecord.objects.filter(subject=subject, act=_OVERDUE).exists():
        return False
    write_journal(
        at=at,
        actor="task:flag_overdue_disputes",
        act=_OVERDUE,
        subject=subject,
        after={"ticket": dispute.ticket, "due": due.isoformat()},
    )
    logger.critical("Dispute %s was to be answered by %s (par. 45).", dispute.pk, due)
    return True


def _open(bet: Bet, kind: DisputeKind, story: str, by: User, *, shown: Mapping[str, object] | None = None) -> Dispute:
    story = written(story, field="story", most=4_000)
    if bet.pool.state == PoolState.ARCHIVED:
        message = _("The pool of this ticket is in the archive: every term for it is over.")
        raise DomainError(Refusal.WRONG_STATE, message, field="ticket")
    with one_transaction():
        hold_ticket(bet.pool_id, bet.ticket)
        # Who is just paying is waited for, and pays no more once the dispute is there.
        lock_payables_of(bet.pool_id, bet.ticket)
        if open_disputes().filter(pool_id=bet.pool_id, ticket=bet.ticket).exists():
            raise DomainError(Refusal.WRONG_STATE, _("This ticket is disputed already."), field="ticket")
        at = clock.now()
        dispute = Dispute.objects.create(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            kind=kind,
            story=story,
            shown=dict(shown or {}),
            opened_by=by,
            opened_at=at,
        )
        _note(dispute, DisputeState.RECEIVED, "", by, at)
        write_journal(
            at=at,
            actor=by.actor,
            act="open_dispute",
            subject=f"bet:{bet.ticket}",
            after={"dispute": dispute.pk, "kind": str(kind), **dispute.shown},
        )
    return dispute


def _move(dispute: Dispute, to: DisputeState, words: str, by: User) -> Dispute:
    refuse_all_but_staff(by)
    words = written(words, field="words", most=4_000)
    with one_transaction():
        lock_payables_of(dispute.pool_id, dispute.ticket)
        dispute = Dispute.objects.select_for_update(no_key=True).get(pk=dispute.pk)
        _refuse_who_considered(dispute, by)  # only now: they may be doing so at this moment
        if to not in DISPUTE_MOVES[DisputeState(dispute.state)]:
            raise DomainError(
                Refusal.WRONG_STATE, _("A dispute is received, then considered, then answered."), state=dispute.state
            )
        at, before = clock.now(), dispute.state
        dispute.state = to
        dispute.save(update_fields=["state"])
        _note(dispute, to, words, by, at)
        if to not in OPEN_DISPUTES:
            held_from = dispute.opened_at
            give_time_back(pool_id=dispute.pool_id, ticket=dispute.ticket, held_from=held_from, at=at, actor=by.actor)
        write_journal(
            at=at,
            actor=by.actor,
            act="consider_dispute" if to == DisputeState.CONSIDERED else "answer_dispute",
            subject=f"bet:{dispute.ticket}",
            before={"dispute": dispute.pk, "state": before},
            after={"dispute": dispute.pk, "state": str(to)},
        )
    return dispute


def _refuse_who_considered(dispute: Dispute, by: User) -> None:
    if dispute.steps.filter(state=DisputeState.CONSIDERED, taken_by=by).exists():
        raise DomainError(Refusal.SAME_PERSON, _("Another person than the one who considered it must answer."))


def _note(dispute: Dispute, state: DisputeState, words: str, by: User, at: datetime) -> None:
    DisputeStep.objects.create(dispute=dispute, state=state, words=words, taken_by=by, taken_at=at)


def _refuse_all_but_desks(person: User) -> None:
    if person.role not in (Role.CASHIER, Role.ORGANIZER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier or the organizer's staff can do this."))


def _unknown() -> DomainError:
    return DomainError(Refusal.NOT_FOUND, _("There is no such ticket."), field="ticket")

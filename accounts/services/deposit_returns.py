"""Giving held deposits back to their payers: two people decide, the payment system does it, once (F1, F2, ¶41)."""

import logging
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import Currency, DepositReturn, HeldDeposit, Mismatch, ReturnState, User
from accounts.models.held_deposits import RETURN_MOVES, UNDER_WAY
from accounts.services.disagreements import Disagreement, number_in, step_or_queue, told
from accounts.services.held_deposits import give_deposit_back, lock_held, refuse_ended
from accounts.services.providers.interface import NotAnswered, Outcome, RefundOrder, Standing
from accounts.services.providers.known import find_provider
from accounts.services.sending import SEND_WITHIN
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)
_UNCERTAIN = (ReturnState.UNKNOWN, ReturnState.SENT)


def propose_return(
    *, held: HeldDeposit, reason: str, document: str = "", returned: bool = True, proposed_by: User
) -> DepositReturn:
    """Propose to give a held deposit back; a later proposal takes the place of an earlier one.

    Without a document the payment system is asked to do it. With one of its documents nobody is asked: it says that the
    payer has the money, or (`returned` is false) that what was sent and is unknown was not done.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE for what is not held, and without a
        document while an earlier return is under way.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason")
    document = written(document, field="document") if document else ""
    if not returned and not document:
        raise DomainError(Refusal.BAD_VALUE, _("Name the document that says so."), field="document")
    with one_transaction():
        _refuse_unfit(_locked(held.pk), document, returned=returned)
        at = clock.now()
        proposal = DepositReturn.objects.create(
            held=held,
            reason=reason,
            document=document,
            returned=returned,
            proposed_by=proposed_by,
            proposed_at=at,
            moved_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_deposit_return",
            subject=f"payment:{held.deposit.reference}",
            reason=reason,
            after={"document": document, "returned": returned, "amount": held.amount},
        )
    return proposal


def approve_return(*, proposal: DepositReturn, approved_by: User) -> DepositReturn:
    """Carry out the latest proposal, or let it be sent; approved again by the same person it answers as the first time.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when another proposal was made or the money moved
        meanwhile: then nothing was done.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        held = _locked(proposal.held_id)
        proposal.refresh_from_db()
        if proposal.approved_by_id == approved_by.pk:
            return proposal
        if held.returns.filter(pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_unfit(held, proposal.document, returned=proposal.returned)
        to = ReturnState.DONE if proposal.document else ReturnState.APPROVED
        actor = approved_by.actor
        _move(proposal, to, actor=actor, act="approve_deposit_return", approved_by=approved_by)
        if proposal.document:
            _end_by_document(held, proposal, actor)
    return proposal


def send_return(*, back: DepositReturn, actor: str = "task:send_withdrawals") -> ReturnState:
    """Ask the payment system to give an approved return's money back; call it outside any transaction.

    :raises DomainError: WRONG_STATE for what is not approved; nothing was sent.
    """
    deposit, held = back.held.deposit, back.held
    system = find_provider(deposit.provider)
    with one_transaction():
        _locked(held.pk)
        back.refresh_from_db(fields=["state"])
        _move(back, ReturnState.UNKNOWN, actor=actor, act="begin_sending_return")
    until = back.moved_at + SEND_WITHIN
    order = RefundOrder(back.reference, deposit.reference, held.taken, Currency(held.currency), until)
    try:
        standing = system.send_refund(order)
    except NotAnswered as fault:
        logger.warning("%s is unknown: %s", back.reference, fault)
    else:
        _apply(back, standing, actor)
    return ReturnState(back.state)


def ask_about_return(*, back: DepositReturn, actor: str = "task:ask_about_withdrawals") -> ReturnState:
    """Ask how an unknown return, or one under way, stands; what was never heard of, and never will be, has failed.

    :raises DomainError: WRONG_STATE for any other.
    """
    if back.state not in _UNCERTAIN:
        raise DomainError(Refusal.WRONG_STATE, _("Nothing is to be asked about this."))
    asked_at = clock.now()
    try:
        standing = find_provider(back.held.deposit.provider).status_of(back.reference)
    except NotAnswered as fault:
        logger.warning("%s: %s", back.reference, fault)
        return ReturnState(back.state)
    if standing is not None:
        _apply(back, standing, actor)
    elif back.state == ReturnState.UNKNOWN and asked_at > back.moved_at + 2 * SEND_WITHIN:
        with one_transaction():
            _locked(back.held_id)
            back.refresh_from_db(fields=["state"])
            unheard = "the payment system never heard of it"
            _move(back, ReturnState.FAILED, actor=actor, act="fail_deposit_return", told=unheard)
    return ReturnState(back.state)


def take_refund(*, provider: str, reference: str, standing: Standing, actor: str) -> None:
    """Bring a return to where the payment system says it stands, in the caller's transaction.

    :raises Disagreement: for one that is not ours, or is not what was sent, and for what contradicts an end.
    """
    mine = DepositReturn.objects.filter(held__deposit__provider=provider, document="")
    back = mine.select_related("held__deposit").filter(pk=number_in(reference, "R")).first()
    if back is None:
        raise Disagreement(Mismatch.UNKNOWN_HERE, "", told(standing.outcome, standing.amount, standing.currency))
    held = _locked(back.held_id)
    back.refresh_from_db(fields=["state"])
    _step(held, back, standing, actor)


def _locked(number: int) -> HeldDeposit:
    held = lock_held(number)
    assert held is not None
    return held


def _refuse_unfit(held: HeldDeposit, document: str, *, returned: bool) -> None:
    refuse_ended(held)
    under_way = held.returns.filter(state__in=UNDER_WAY)
    if not document and under_way.exists():
        raise DomainError(Refusal.WRONG_STATE, _("This money is being given back."))
    if document and under_way.filter(state=ReturnState.APPROVED).exists():
        raise DomainError(Refusal.WRONG_STATE, _("It will be sent at once; then it is known how it stands."))
    if not returned and not under_way.exists():
        raise DomainError(Refusal.WRONG_STATE, _("Nothing was sent of which that could be said."))


def _end_by_document(held: HeldDeposit, proposal: DepositReturn, actor: str) -> None:
    sent = held.returns.filter(state__in=_UNCERTAIN).first()
    if sent is not None:
        to = ReturnState.DONE if proposal.returned else ReturnState.FAILED
        act = "confirm_deposit_return" if proposal.returned else "fail_deposit_return"
        _move(sent, to, actor=actor, act=act, told=proposal.document)
    if proposal.returned:
        give_deposit_back(held, actor=actor, reason=proposal.document)


def _apply(back: DepositReturn, standing: Standing, actor: str) -> None:
    """Note the answer to a call; what does not agree moves nothing and goes into the queue."""
    with one_transaction():
        held = _locked(back.held_id)
        back.refresh_from_db(fields=["state"])
        step_or_queue(
            lambda: _step(held, back, standing, actor),
            provider=back.held.deposit.provider,
            reference=back.reference,
            standing=standing,
            at=clock.now(),
        )


def _step(held: HeldDeposit, back: DepositReturn, standing: Standing, actor: str) -> None:
    """Move a return, whose deposit is locked, to where it is said to stand.

    :raises Disagreement: for another amount or currency, and for what contradicts an end.
    """
    ours = told(back.state, held.taken, held.currency)
    theirs = told(standing.outcome, standing.amount, standing.currency)
    if (standing.amount, standing.currency) != (held.taken, held.currency):
        raise Disagreement(Mismatch.AMOUNT, ours, theirs)
    state, outcome = ReturnState(back.state), standing.outcome
    ended = {ReturnState.DONE: Outcome.DONE, ReturnState.FAILED: Outcome.FAILED}.get(state)
    if outcome in (ended, Outcome.UNDER_WAY) and ended is not None:
        return  # the same again, or older news
    if state not in _UNCERTAIN:
        raise Disagreement(Mismatch.STATE, ours, theirs)
    kept = {"provider_reference": standing.provider_reference}
    if outcome == Outcome.DONE:
        _move(back, ReturnState.DONE, actor=actor, act="confirm_deposit_return", **kept)
        give_deposit_back(held, actor=actor, reason=f"given back: {back.reference}")
    elif outcome == Outcome.FAILED:
        why = standing.reason or "refused by the payment system"
        _move(back, ReturnState.FAILED, actor=actor, act="fail_deposit_return", told=why[:200], **kept)
    elif state == ReturnState.UNKNOWN:
        _move(back, ReturnState.SENT, actor=actor, act="send_deposit_return", **kept)


def _move(back: DepositReturn, to: ReturnState, *, actor: str, act: str, **changes: Any) -> None:
    """Move a return, whose deposit is locked, and journal it; :raises DomainError: WRONG_STATE."""
    came_from = ReturnState(back.state)
    if to not in RETURN_MOVES[came_from]:
        raise DomainError(Refusal.WRONG_STATE, _("This return is not in that state any more."), state=str(came_from))
    at = clock.now()
    changes |= {"state": to, "moved_at": at}
    for name, value in changes.items():
        setattr(back, name, value)
    back.save(update_fields=[*changes])
    write_journal(
        at=at,
        actor=actor,
        act=act,
        subject=f"deposit_return:{back.pk}",
        reason=back.told or back.reason,
        before={"state": str(came_from)},
        after={"state": str(to), "amount": back.held.amount},
    )

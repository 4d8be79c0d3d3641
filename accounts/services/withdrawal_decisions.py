"""Ending a withdrawal of which the payment system tells nothing: one person proposes, another approves (F2)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User, Withdrawal, WithdrawalDecision, WithdrawalProposal, WithdrawalState
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from accounts.services.withdrawal_ends import confirm, give_back
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_end(*, withdrawal: Withdrawal, paid: bool, document: str, proposed_by: User) -> WithdrawalProposal:
    """Propose that a withdrawal was paid, or was not, by a document; a later proposal takes the place of an earlier.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a document; WRONG_STATE unless it was sent by a payment system
        and is unknown or under way.
    """
    refuse_all_but_staff(proposed_by)
    document = written(document, field="document")
    with one_transaction():
        _refuse_certain(_held(withdrawal.pk))
        at = clock.now()
        proposal = WithdrawalProposal.objects.create(
            withdrawal=withdrawal, paid=paid, document=document, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_withdrawal_end",
            subject=f"withdrawal:{withdrawal.pk}",
            reason=document,
            after={"paid": paid, "amount": withdrawal.amount},
        )
    return proposal


def approve_end(*, proposal: WithdrawalProposal, approved_by: User) -> WithdrawalDecision:
    """Carry out the latest proposal; approved again by the same person it answers as the first time.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when another proposal was made meanwhile, or the payment
        system has told how it ended: then nothing was done.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        withdrawal = _held(proposal.withdrawal_id)
        standing = WithdrawalDecision.objects.filter(proposal=proposal).first()
        if standing is not None and standing.approved_by_id == approved_by.pk:
            return standing
        if WithdrawalProposal.objects.filter(withdrawal=withdrawal, pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_certain(withdrawal)
        actor, reason = approved_by.actor, proposal.document
        if proposal.paid:
            confirm(withdrawal, actor=actor, reason=reason)
        else:
            give_back(withdrawal, WithdrawalState.FAILED, reason=reason, actor=actor, act="fail_withdrawal")
        at = clock.now()
        decision = WithdrawalDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        write_journal(
            at=at,
            actor=actor,
            act="approve_withdrawal_end",
            subject=f"withdrawal:{withdrawal.pk}",
            reason=reason,
            after={"paid": proposal.paid, "amount": withdrawal.amount},
        )
    return decision


def _held(number: int) -> Withdrawal:
    """Lock a withdrawal and return it as it is now."""
    found = Withdrawal.objects.select_for_update(no_key=True, of=("self",))
    return found.select_related("account__ledger_account", "instrument").get(pk=number)


def _refuse_certain(withdrawal: Withdrawal) -> None:
    """A payment order ends by the bank's statement alone."""
    open_states = (WithdrawalState.UNKNOWN, WithdrawalState.SENT)
    if withdrawal.state not in open_states or not withdrawal.instrument.provider:
        raise DomainError(Refusal.WRONG_STATE, _("There is nothing to decide about this withdrawal."))

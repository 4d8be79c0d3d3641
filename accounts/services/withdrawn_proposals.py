"""Taking back what one has proposed, as long as nobody has approved it (R1, N4).

Whoever approves and whoever takes back hold the same lock: one of them is first, the other is refused.
"""

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_number_proposal, lock_person
from accounts.models import (
    NumberDecision,
    NumberProposal,
    RoleDecision,
    RoleProposal,
    User,
    WithdrawnNumber,
    WithdrawnRole,
)
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def withdraw_number(*, number: int, withdrawn_by: User) -> None:
    """Take back a proposed value of a dated number.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for anybody but who proposed it; WRONG_STATE when it was approved, or
        taken back before.
    """
    refuse_all_but_staff(withdrawn_by)
    proposal = NumberProposal.objects.filter(pk=number).first()
    _refuse_others(proposal, withdrawn_by)
    with one_transaction():
        hold_number_proposal(number)
        _refuse_done(NumberDecision.objects.filter(proposal=number).exists(), _is_withdrawn_number(number))
        at = clock.now()
        WithdrawnNumber.objects.create(proposal_id=number, withdrawn_by=withdrawn_by, withdrawn_at=at)
        assert proposal is not None
        write_journal(
            at=at,
            actor=withdrawn_by.actor,
            act="withdraw_number",
            subject=f"number:{proposal.name}",
            after={"proposal": number, "value": proposal.value, "valid_from": proposal.valid_from.isoformat()},
        )


def withdraw_role(*, proposal_id: int, withdrawn_by: User) -> None:
    """Take back a proposed role.

    :raises DomainError: as `withdraw_number`.
    """
    refuse_all_but_staff(withdrawn_by)
    proposal = RoleProposal.objects.filter(pk=proposal_id).first()
    _refuse_others(proposal, withdrawn_by)
    with one_transaction():
        assert proposal is not None
        person = lock_person(proposal.person_id)
        _refuse_done(
            RoleDecision.objects.filter(proposal=proposal).exists(),
            WithdrawnRole.objects.filter(proposal=proposal).exists(),
        )
        at = clock.now()
        WithdrawnRole.objects.create(proposal=proposal, withdrawn_by=withdrawn_by, withdrawn_at=at)
        write_journal(
            at=at,
            actor=withdrawn_by.actor,
            act="withdraw_role",
            subject=person.actor,
            after={"proposal": proposal_id, "role": proposal.role},
        )


def _is_withdrawn_number(number: int) -> bool:
    return WithdrawnNumber.objects.filter(proposal=number).exists()


def _refuse_others(proposal: NumberProposal | RoleProposal | None, person: User) -> None:
    if proposal is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such proposal."), field="number")
    if proposal.proposed_by_id != person.pk:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only who proposed it can take it back."))


def _refuse_done(approved: bool, withdrawn: bool) -> None:
    if approved or withdrawn:
        raise DomainError(Refusal.WRONG_STATE, _("This proposal does not stand any more."), field="number")

"""Giving a person another role: one of the organizer's staff proposes, another approves (R1)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import Role, RoleDecision, RoleProposal, User, WithdrawnRole
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_role(*, person: User, role: Role, reason: str, proposed_by: User) -> RoleProposal:
    """Propose another role for a person; a later proposal takes the place of an earlier one.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON for one's own role; BAD_VALUE without a reason, or for the same role.
    """
    refuse_all_but_staff(proposed_by)
    _refuse_own(person, proposed_by)
    reason = written(reason, field="reason", most=2000)
    if User.objects.filter(pk=person.pk, role=role).exists():
        raise DomainError(Refusal.BAD_VALUE, _("The person has this role already."), field="role")
    with one_transaction():
        at = clock.now()
        proposal = RoleProposal.objects.create(
            person=person, role=role, reason=reason, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_role",
            subject=person.actor,
            reason=reason,
            after={"proposal": proposal.pk, "role": str(role)},
        )
    return proposal


def approve_role(*, proposal_id: int, approved_by: User) -> User:
    """Give the person the proposed role, and return the person.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; SAME_PERSON for who proposed it, and for one's own role; WRONG_STATE
        when it was approved or taken back before, or a later proposal stands.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        proposal = RoleProposal.objects.filter(pk=proposal_id).first()
        if proposal is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such proposal."), field="proposal")
        person = User.objects.select_for_update().get(pk=proposal.person_id)
        _refuse_own(person, approved_by)
        if proposal.proposed_by_id == approved_by.pk:
            raise DomainError(Refusal.SAME_PERSON, _("Another person than who proposed it must approve it."))
        later = RoleProposal.objects.filter(person=person, pk__gt=proposal.pk).exists()
        withdrawn = WithdrawnRole.objects.filter(proposal=proposal).exists()
        if later or withdrawn or RoleDecision.objects.filter(proposal=proposal).exists():
            raise DomainError(Refusal.WRONG_STATE, _("This proposal does not stand any more."), field="proposal")
        at, before = clock.now(), person.role
        RoleDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        person.role = proposal.role
        person.save(update_fields=["role"])
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_role",
            subject=person.actor,
            reason=proposal.reason,
            before={"role": before},
            after={"role": person.role, "proposed_by": f"user:{proposal.proposed_by_id}"},
        )
    return person


def _refuse_own(person: User, who: User) -> None:
    if person.pk == who.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Nobody decides about the own role."))

"""Roles: one of the staff proposes another one for a person, another approves (R1)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import Role, RoleProposal, User
from accounts.services.roles import approve_role, propose_role
from accounts.services.withdrawn_proposals import withdraw_role
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Staff: players"


class RoleBody(Body):
    """Who gets which role, and why."""

    username = Text(max_length=150)
    role = serializers.ChoiceField(Role.choices)
    reason = Text(max_length=200)


class ProposedRole(serializers.Serializer[None]):
    """What waits for another person, or was approved; of a person only the latest proposal counts."""

    number = serializers.IntegerField()
    username = serializers.CharField()
    role = serializers.ChoiceField(Role.choices)
    reason = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    decided = serializers.BooleanField()


def _proposals() -> QuerySet[RoleProposal]:
    return RoleProposal.objects.select_related("person", "proposed_by", "decision")


def _propose(staff: User, told: Told) -> Written:
    person = found(User.objects.all(), username=told["username"], field="username")
    proposal = propose_role(person=person, role=Role(told["role"]), reason=told["reason"], proposed_by=staff)
    return _written(proposal)


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(_proposals(), pk=number)
    approve_role(proposal_id=proposal.pk, approved_by=staff)
    return _written(found(_proposals(), pk=number))


def _withdraw(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(_proposals(), pk=number)
    withdraw_role(proposal_id=proposal.pk, withdrawn_by=staff)
    return _written(proposal)


def _written(proposal: RoleProposal) -> Written:
    return {
        "number": proposal.pk,
        "username": proposal.person.username,
        "role": proposal.role,
        "reason": proposal.reason,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": hasattr(proposal, "decision"),
    }


DECLARED = (
    Listing(
        path="roles",
        name="staff_roles",
        summary="Proposals of roles that nobody has approved, the latest first",
        tag=TAG,
        rows_name="proposals",
        row=ProposedRole,
        rows=lambda _query: _proposals().filter(decision__isnull=True, withdrawn__isnull=True),
        write=_written,
    ),
    Act(
        path="roles",
        name="staff_role_propose",
        summary="Propose another role for a person",
        tag=TAG,
        body=RoleBody,
        answer=ProposedRole,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON),
    ),
    Act(
        path="roles/<int:number>/approval",
        name="staff_role_approve",
        summary="Give the person the proposed role, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ProposedRole,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
    Act(
        path="roles/<int:number>/withdrawal",
        name="staff_role_withdraw",
        summary="Take back a role that one has proposed oneself",
        tag=TAG,
        body=NothingBody,
        answer=ProposedRole,
        do=_withdraw,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
)

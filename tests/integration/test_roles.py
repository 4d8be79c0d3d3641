"""A role is given by two people, and never in silence (R1)."""

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Role, RoleDecision, User
from accounts.services.roles import approve_role, propose_role
from tests.making import make_organizers, make_player, make_user
from tests.refusals import every_row, refused
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def test_r1_two_people_give_a_role_and_both_acts_are_journalled() -> None:
    first, second = make_organizers()
    player = make_player()
    proposal = propose_role(person=player, role=Role.CASHIER, reason="hired", proposed_by=first)
    assert User.objects.get(pk=player.pk).role == Role.PLAYER
    assert approve_role(proposal_id=proposal.pk, approved_by=second).role == Role.CASHIER
    assert User.objects.get(pk=player.pk).role == Role.CASHIER
    acts = JournalRecord.objects.filter(subject=player.actor, act__in=("propose_role", "approve_role")).order_by("pk")
    assert list(acts.values_list("actor", "act")) == [(first.actor, "propose_role"), (second.actor, "approve_role")]
    refusal = refused(lambda: approve_role(proposal_id=proposal.pk, approved_by=second))
    assert refusal.code == Refusal.WRONG_STATE


def test_r1_nobody_alone_and_nobody_for_oneself() -> None:
    first, second = make_organizers()
    player = make_player()
    proposal = propose_role(person=player, role=Role.COMMISSION, reason="elected", proposed_by=first)
    for act, code in (
        (lambda: approve_role(proposal_id=proposal.pk, approved_by=first), Refusal.SAME_PERSON),
        (lambda: approve_role(proposal_id=proposal.pk, approved_by=player), Refusal.NOT_ALLOWED),
        (lambda: approve_role(proposal_id=0, approved_by=second), Refusal.NOT_FOUND),
        (lambda: propose_role(person=first, role=Role.CASHIER, reason="x", proposed_by=first), Refusal.SAME_PERSON),
        (lambda: propose_role(person=player, role=Role.PLAYER, reason="x", proposed_by=first), Refusal.BAD_VALUE),
        (lambda: propose_role(person=player, role=Role.CASHIER, reason=" ", proposed_by=first), Refusal.BAD_VALUE),
    ):
        assert refused(act).code == code
    own = propose_role(person=second, role=Role.CASHIER, reason="moved", proposed_by=first)
    assert refused(lambda: approve_role(proposal_id=own.pk, approved_by=second)).code == Refusal.SAME_PERSON
    propose_role(person=player, role=Role.CASHIER, reason="rather", proposed_by=second)
    assert refused(lambda: approve_role(proposal_id=proposal.pk, approved_by=second)).code == Refusal.WRONG_STATE


def test_r1_the_database_gives_no_role_without_their_decision() -> None:
    first, second = make_organizers()
    player = make_player()
    proposal = propose_role(person=player, role=Role.CASHIER, reason="hired", proposed_by=first)
    for role in ("organizer", "cashier"):
        silently(player, role)
    approve_role(proposal_id=proposal.pk, approved_by=second)
    back = propose_role(person=player, role=Role.PLAYER, reason="left", proposed_by=first)
    approve_role(proposal_id=back.pk, approved_by=second)
    silently(player, "cashier")  # an old decision gives nothing
    assert RoleDecision.objects.count() == 2


def silently(person: User, role: str) -> None:
    before = every_row()
    with pytest.raises(DatabaseError, match="no decision of two people"), transaction.atomic():
        connection.cursor().execute("UPDATE accounts_user SET role = %s WHERE id = %s", [role, person.pk])
    assert every_row() == before


def test_r1_new_staff_is_journalled_by_the_database_itself() -> None:
    cashier, player = make_user(Role.CASHIER), make_user(Role.PLAYER)
    added = JournalRecord.objects.filter(act="staff_row_added")
    assert list(added.filter(subject=cashier.actor).values_list("after", flat=True)) == [{"role": "cashier"}]
    assert not added.filter(subject=player.actor).exists()

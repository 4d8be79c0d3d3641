"""A lost key: one of the organizer's staff proposes to revoke it, another approves (¶10, X5)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, written
from pools.models import CommissionKey, KeyRevocationProposal
from pools.services.commission_keys import find_key, take_out_of_force
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_key_revocation(*, key_id: str, reason: str, proposed_by: User) -> KeyRevocationProposal:
    """Propose to revoke a key that is lost; it signs until another person approves.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE when it is revoked; BAD_VALUE without a reason.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason", most=500)
    with one_transaction():
        key = _in_force(key_id)
        at = clock.now()
        proposal = KeyRevocationProposal.objects.create(key=key, reason=reason, proposed_by=proposed_by, proposed_at=at)
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_key_revocation",
            subject=f"commission_key:{key_id}",
            reason=reason,
            after={"number": proposal.pk},
        )
    return proposal


def approve_key_revocation(*, key_id: str, number: int, approved_by: User) -> CommissionKey:
    """Revoke the key as proposed, for good; its member then makes a new one, which counts in pools that name it.

    `number` is the proposal that the approver has read.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; SAME_PERSON for who proposed it; WRONG_STATE when it is revoked.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        key = _in_force(key_id)
        proposal = KeyRevocationProposal.objects.filter(key=key, pk=number).first()
        if proposal is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such proposal."), field="number")
        if proposal.proposed_by_id == approved_by.pk:
            raise DomainError(Refusal.SAME_PERSON, _("A revocation is approved by another person than proposed it."))
        take_out_of_force(key, reason=proposal.reason, by=approved_by, proposed_by=proposal.proposed_by.actor)
    return key


def _in_force(key_id: str) -> CommissionKey:
    key = find_key(key_id)
    if key.revoked_at is not None:
        raise DomainError(Refusal.WRONG_STATE, _("The key is revoked already."), field="key_id")
    return key

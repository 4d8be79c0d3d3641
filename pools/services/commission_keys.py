"""The commission's keys: each under a passphrase that only its member knows (¶10, X5)."""

import base64
from hashlib import scrypt
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_person
from accounts.models import Role, User
from pools.models import CommissionKey
from totalizator.core import clock, signing
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.throttle import note_failure, refuse_when_throttled
from totalizator.core.transactions import one_transaction
from totalizator.engine.signatures import COMMISSION, OPERATOR

MIN_PASSPHRASE = 12  # characters


def create_key(*, member: User, passphrase: str) -> CommissionKey:
    """Make the member's key; the private half is stored only as wrapped by the passphrase.

    :raises DomainError: NOT_ALLOWED for anyone but a commission member; BAD_VALUE for a short passphrase;
        WRONG_STATE while another key of the member is in force: it is revoked first.
    """
    if len(passphrase) < MIN_PASSPHRASE:
        raise DomainError(Refusal.BAD_VALUE, _("The passphrase must have at least 12 characters."), field="passphrase")
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    cost: int = settings.PASSPHRASE_COST
    stretched = _stretched(passphrase, public, cost)
    wrapped = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(stretched))
    with one_transaction():
        member = lock_person(member.pk)
        if member.role != Role.COMMISSION or not member.is_active:
            raise DomainError(Refusal.NOT_ALLOWED, _("Only a commission member has a signing key."), field="member")
        if CommissionKey.objects.filter(member=member, revoked_at__isnull=True).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Revoke the key in force before making another one."))
        at = clock.now()
        key = CommissionKey.objects.create(
            key_id=signing.key_id("member", public),
            member=member,
            public=base64.b64encode(public).decode(),
            wrapped_private=wrapped.decode(),
            passphrase_cost=cost,
            created_at=at,
        )
        write_journal(at=at, actor=member.actor, act="create_key", subject=f"commission_key:{key.key_id}")
    return key


def revoke_key(*, key_id: str, reason: str, revoked_by: User) -> None:
    """Take one's own key out of force for good; what it signed before stays valid and verifiable.

    A key that its member has lost together with the log-in is revoked by two of the organizer's staff
    (`lost_keys.py`).

    :raises DomainError: NOT_ALLOWED for anyone but its member; NOT_FOUND; WRONG_STATE when it was revoked before;
        BAD_VALUE without a reason.
    """
    if not reason.strip():
        raise DomainError(Refusal.BAD_VALUE, _("Say why the key is revoked."), field="reason")
    with one_transaction():
        key = find_key(key_id)
        if revoked_by.pk != key.member_id:
            raise DomainError(Refusal.NOT_ALLOWED, _("Only its member revokes a key alone."))
        take_out_of_force(key, reason=reason, by=revoked_by)


def find_key(key_id: str) -> CommissionKey:
    """Return a key; :raises DomainError: NOT_FOUND."""
    key = CommissionKey.objects.filter(key_id=key_id).first()
    if key is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such key."), field="key_id")
    return key


def take_out_of_force(key: CommissionKey, *, reason: str, by: User, proposed_by: str = "") -> None:
    """Revoke a key, once; runs in the transaction of who decided it.

    :raises DomainError: WRONG_STATE when it was revoked before.
    """
    at = clock.now()
    if not CommissionKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=at):
        raise DomainError(Refusal.WRONG_STATE, _("The key is revoked already."), field="key_id")
    key.revoked_at = at
    write_journal(
        at=at,
        actor=by.actor,
        act="revoke_key",
        subject=f"commission_key:{key.key_id}",
        reason=reason,
        after={"proposed_by": proposed_by} if proposed_by else None,
    )


def unlock_key(key: CommissionKey, passphrase: str) -> Ed25519PrivateKey:
    """Return the private half for the moment of signing. Slow on purpose: call it before any lock is taken.

    A wrong passphrase is counted and journalled, in a transaction of its own and without the passphrase.

    :raises DomainError: WRONG_CODE; THROTTLED after ten wrong ones in a minute.
    """
    subjects = (f"commission_key:{key.key_id}",)
    refuse_when_throttled(subjects, clock.now())
    stretched = _stretched(passphrase, base64.b64decode(key.public), key.passphrase_cost)
    try:
        private = load_pem_private_key(key.wrapped_private.encode(), stretched)
    except ValueError as fault:
        note_failure(subjects, clock.now(), act="wrong_passphrase", actor=f"user:{key.member_id}")
        raise DomainError(Refusal.WRONG_CODE, _("The passphrase is wrong."), field="passphrase") from fault
    assert isinstance(private, Ed25519PrivateKey)
    return private


def published_keys() -> dict[str, Any]:
    """Return keys.json: the operator's key and every key the commission ever had, as old protocols need theirs."""
    commission = dict(CommissionKey.objects.order_by("key_id").values_list("key_id", "public"))
    operator = {signing.operator_key_id(): base64.b64encode(signing.operator_public_key()).decode()}
    return {
        key_id: {"algorithm": signing.ALGORITHM, "public": public, "role": role}
        for role, keys in ((COMMISSION, commission), (OPERATOR, operator))
        for key_id, public in keys.items()
    }


def _stretched(passphrase: str, public: bytes, cost: int) -> bytes:
    """Make guessing dear: PKCS #8 itself stretches a passphrase 2,048 times only. The public half is the salt."""
    typed = passphrase.encode("utf-8", "surrogatepass")
    return scrypt(typed, salt=public, n=cost, r=8, p=1, maxmem=2**28, dklen=32).hex().encode()

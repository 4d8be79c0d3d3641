"""The protocol of a result: drawn up from two like entries, sealed by the commission's signatures (¶10, ¶30, H2)."""

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pools.locks import find_pool, lock_pool
from pools.models import CommissionKey, Pool, PoolState, Protocol, ProtocolSignature, move
from pools.services.commission import only_member
from pools.services.commission_keys import unlock_key
from pools.services.publishing import publish_protocol
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.ed25519 import verify
from totalizator.engine.instants import instant_text
from totalizator.engine.result import parse_result, signed_payload

SETTLE = "pools.tasks.settle_due_pools"


def draw_up_protocol(pool: Pool, *, result: Mapping[str, Any], at: datetime) -> Protocol:
    """Draw up the protocol of an agreed result; runs under the pool's lock."""
    number = f"{pool.code}/1"
    document = _result_document(result, number=number, at=at)
    parse_result(pool.terms, document)
    protocol = Protocol.objects.create(
        pool=pool, version=1, number=number, document_text=canonical_json(document).decode(), drawn_up_at=at
    )
    write_journal(
        at=at,
        actor="pools",
        act="draw_up_protocol",
        subject=f"pool:{pool.code}",
        after={"protocol": number, "document": digest(protocol.document_text.encode())},
    )
    return protocol


def sign_protocol(*, code: str, member: User, passphrase: str) -> bool:
    """Sign the pool's protocol with the member's key; return whether that sealed it.

    The last needed signature seals: the pool is resulted, and its settlement is enqueued after the commit.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission or whose key is revoked;
        WRONG_CODE for a wrong passphrase (journalled); RESULT_MISMATCH while the last two entries differ; WRONG_STATE
        when there is no protocol to sign or it is sealed; SAME_PERSON for a second signature; BAD_SIGNATURE.
    """
    pool = find_pool(code)
    only_member(pool, member)
    key = _key_in_force(pool, member)
    private = unlock_key(key, passphrase)
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        key = _key_in_force(pool, member)
        protocol = _unsealed_protocol(pool)
        payload = signed_payload(parse_json(protocol.document_text.encode(), where="result.json"))
        if _signatures(protocol).filter(key=key).exists():
            raise DomainError(Refusal.SAME_PERSON, _("You have signed this protocol."))
        signature = private.sign(payload)
        if not verify(base64.b64decode(key.public), payload, signature):
            raise DomainError(Refusal.BAD_SIGNATURE, _("The signature is not the published key's."))
        at = clock.now()
        ProtocolSignature.objects.create(
            pool=pool,
            version=protocol.version,
            key=key,
            signature=base64.b64encode(signature).decode(),
            signed_at=at,
        )
        _write_act("sign_protocol", protocol, member, at, {"key": key.key_id})
        return _seal_if_enough(pool, protocol, member, at)


def _result_document(result: Mapping[str, Any], *, number: str, at: datetime) -> dict[str, Any]:
    """Return result.json without signatures: what the members sign. `sealed_at` in it is when it was drawn up."""
    protocol = {
        "number": number,
        "version": 1,
        "previous": None,
        "digest": digest(canonical_json(dict(result))),
        "sealed_at": instant_text(at),
        "evidence": [],
        "dissent": [],
    }
    return {"protocol": protocol, **result}


def _key_in_force(pool: Pool, member: User) -> CommissionKey:
    quorum = pool.terms.quorum
    assert quorum is not None, f"pool {pool.code} was announced without a quorum"
    key = CommissionKey.objects.filter(member=member, revoked_at__isnull=True, key_id__in=quorum.members).first()
    if key is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Your key for this pool is revoked."), field="member")
    return key


def _unsealed_protocol(pool: Pool) -> Protocol:
    protocol = pool.protocols.order_by("-version").first()
    if protocol is None:
        # Two entries of one attempt without a protocol are two entries that differ.
        last = pool.result_entries.aggregate(attempt=Max("attempt"))["attempt"] or 0
        if pool.result_entries.filter(attempt=last).count() == 2:
            raise DomainError(Refusal.RESULT_MISMATCH, _("The two entries of the result differ; enter it again."))
        raise DomainError(Refusal.WRONG_STATE, _("There is no protocol to sign yet."), field="pool")
    if pool.state != PoolState.CLOSED or protocol.sealed_at is not None:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The pool is %(state)s; its protocol cannot be signed.") % {"state": PoolState(pool.state).label},
            state=pool.state,
        )
    return protocol


def _signatures(protocol: Protocol) -> QuerySet[ProtocolSignature]:
    return ProtocolSignature.objects.filter(pool_id=protocol.pool_id, version=protocol.version)


def _seal_if_enough(pool: Pool, protocol: Protocol, member: User, at: datetime) -> bool:
    """Seal with the last needed signature; one whose key was revoked since does not count."""
    assert pool.terms.quorum is not None
    signed_by = list(_signatures(protocol).filter(key__revoked_at__isnull=True).values_list("key_id", flat=True))
    assert set(signed_by) <= set(pool.terms.quorum.members)
    if len(signed_by) < pool.terms.quorum.need:
        return False
    Protocol.objects.filter(pool=pool, version=protocol.version).update(sealed_at=at)
    move(pool, PoolState.RESULTED)
    _write_act("seal_protocol", protocol, member, at, {"signatures": sorted(signed_by)})
    enqueue_after_commit(SETTLE)
    publish_protocol(pool, protocol, at=at)
    return True


def _write_act(act: str, protocol: Protocol, member: User, at: datetime, after: Mapping[str, Any]) -> None:
    write_journal(
        at=at,
        actor=member.actor,
        act=act,
        subject=f"protocol:{protocol.number}",
        after={"document": digest(protocol.document_text.encode()), **after},
    )

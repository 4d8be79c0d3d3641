"""The protocol of a result: drawn up from two like entries, sealed by the commission's signatures (¶10, ¶30, H2)."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pools.locks import find_pool, lock_pool
from pools.models import CommissionKey, Pool, PoolState, Protocol, ProtocolSignature, ResultEntry, Settlement, move
from pools.queries.corrections import unsealed_correction
from pools.services.commission import only_member
from pools.services.commission_keys import unlock_key
from pools.services.conflicts import in_conflict, refuse_conflict
from pools.services.evidence import evidence_of, read_evidence
from pools.services.protocol_documents import protocol_document
from pools.services.publishing import publish_protocol
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.ed25519 import verify
from totalizator.engine.result import parse_result, signed_payload

SETTLE = "pools.tasks.settle_due_pools"
CORRECT = "pools.tasks.correct_due_settlements"


def draw_up_protocol(pool: Pool, entries: Sequence[ResultEntry], *, at: datetime) -> Protocol:
    """Draw up the protocol of two entries that agree; runs under the pool's lock."""
    corrected = pool.protocols.filter(version=entries[0].corrects).first()
    document = protocol_document(pool, entries, corrected=corrected, at=at)
    parse_result(pool.terms, document)
    protocol = Protocol.objects.create(
        pool=pool,
        version=document["protocol"]["version"],
        number=document["protocol"]["number"],
        attempt=entries[0].attempt,
        document_text=canonical_json(document).decode(),
        drawn_up_at=at,
    )
    write_journal(
        at=at,
        actor="pools",
        act="draw_up_protocol",
        subject=f"pool:{pool.code}",
        after={
            "protocol": protocol.number,
            "document": document_digest(protocol),
            "previous": document["protocol"]["previous"],
        },
    )
    return protocol


def sign_protocol(*, code: str, member: User, passphrase: str, read: str | None = None) -> bool:
    """Sign the pool's protocol with the member's key; return whether that sealed it.

    The last needed signature seals: the pool is resulted, and its settlement is enqueued after the commit; of a settled
    pool, its correction is (H5). `read` is the digest of the document that the member has read: if another one stands
    by now, nothing is signed.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission or whose key is revoked;
        CONFLICT; WRONG_CODE for a wrong passphrase (journalled); THROTTLED; RESULT_MISMATCH while the last two entries
        differ; WRONG_STATE when there is no protocol to sign, it is sealed, or another one than was read;
        EVIDENCE_CHANGED; SAME_PERSON for a second signature; BAD_SIGNATURE.
    """
    pool = find_pool(code)
    only_member(pool, member)
    refuse_conflict(pool, member)
    key = key_in_force(pool, member)
    private = unlock_key(key, passphrase)
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        refuse_conflict(pool, member)
        key = key_in_force(pool, member)
        protocol = unsealed_protocol(pool, read)
        _refuse_doubtful(pool, protocol)
        payload = signed_payload(parse_json(protocol.document_text.encode(), where="result.json"))
        if signatures_under(protocol).filter(key=key).exists():
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


def document_digest(protocol: Protocol) -> str:
    """Return the digest of what is signed, as a member who has read it names it."""
    return digest(protocol.document_text.encode())


def key_in_force(pool: Pool, member: User) -> CommissionKey:
    """Return the member's key that the pool's quorum names; :raises DomainError: NOT_ALLOWED when it is revoked."""
    quorum = pool.terms.quorum
    assert quorum is not None, f"pool {pool.code} was announced without a quorum"
    key = CommissionKey.objects.filter(member=member, revoked_at__isnull=True, key_id__in=quorum.members).first()
    if key is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Your key for this pool is revoked."), field="member")
    return key


def unsealed_protocol(pool: Pool, read: str | None = None) -> Protocol:
    """Return the pool's newest version, that is not sealed and is the one that was read.

    :raises DomainError: RESULT_MISMATCH, WRONG_STATE.
    """
    protocol = pool.protocols.order_by("-version").first()
    if protocol is None:
        # Two entries of one attempt without a protocol are two entries that differ.
        last = pool.result_entries.aggregate(attempt=Max("attempt"))["attempt"] or 0
        if pool.result_entries.filter(attempt=last).count() == 2:
            raise DomainError(Refusal.RESULT_MISMATCH, _("The two entries of the result differ; enter it again."))
        raise DomainError(Refusal.WRONG_STATE, _("There is no protocol to sign yet."), field="pool")
    if not _can_be_signed(pool, protocol):
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The pool is %(state)s; its protocol cannot be signed.") % {"state": PoolState(pool.state).label},
            state=pool.state,
        )
    if read is not None and read != document_digest(protocol):
        raise DomainError(Refusal.WRONG_STATE, _("This is not the protocol that you have read; read it first."))
    return protocol


def _can_be_signed(pool: Pool, newest: Protocol) -> bool:
    if pool.state == PoolState.SETTLED:
        return unsealed_correction(pool) is not None
    unsettled = not Settlement.objects.filter(pool=pool).exists()
    return unsettled and pool.state in (PoolState.CLOSED, PoolState.RESULTED) and newest.sealed_at is None


def signatures_under(protocol: Protocol) -> QuerySet[ProtocolSignature]:
    """Return the signatures given under one version."""
    return ProtocolSignature.objects.filter(pool_id=protocol.pool_id, version=protocol.version)


def _refuse_doubtful(pool: Pool, protocol: Protocol) -> None:
    """Refuse a protocol of somebody in conflict, or whose evidence is not what was filed (H1, X5).

    :raises DomainError: CONFLICT, EVIDENCE_CHANGED.
    """
    entries = list(pool.result_entries.filter(attempt=protocol.attempt))
    if in_conflict(pool) & {entry.member_id for entry in entries}:
        raise DomainError(
            Refusal.CONFLICT,
            _("Who entered this result must not decide the pool; two others enter it as a correction."),
            bet=False,
        )
    for evidence in evidence_of(pool, entries):
        read_evidence(evidence)


def _seal_if_enough(pool: Pool, protocol: Protocol, member: User, at: datetime) -> bool:
    """Seal with the last needed signature; one of a key revoked since, or of who is in conflict since, counts not."""
    assert pool.terms.quorum is not None
    counted = signatures_under(protocol).filter(key__revoked_at__isnull=True)
    signed_by = list(counted.exclude(key__member__in=in_conflict(pool)).values_list("key_id", flat=True))
    assert set(signed_by) <= set(pool.terms.quorum.members)
    if len(signed_by) < pool.terms.quorum.need:
        return False
    Protocol.objects.filter(pool=pool, version=protocol.version).update(sealed_at=at)
    protocol.sealed_at = at
    if pool.state == PoolState.CLOSED:
        move(pool, PoolState.RESULTED)
    _write_act("seal_protocol", protocol, member, at, {"signatures": sorted(signed_by)})
    enqueue_after_commit(CORRECT if pool.state == PoolState.SETTLED else SETTLE)
    publish_protocol(pool, protocol, at=at)
    return True


def _write_act(act: str, protocol: Protocol, member: User, at: datetime, after: Mapping[str, Any]) -> None:
    write_journal(
        at=at,
        actor=member.actor,
        act=act,
        subject=f"protocol:{protocol.number}",
        after={"document": document_digest(protocol), **after},
    )

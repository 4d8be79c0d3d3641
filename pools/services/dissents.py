"""Dissent: a member who disagrees says why, in the document that all sign or, later, beside it (¶10, X5)."""

import base64
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import written
from pools.locks import find_pool, lock_pool
from pools.models import CommissionKey, Pool, Protocol, ProtocolDissent
from pools.services.commission import only_member
from pools.services.commission_keys import unlock_key
from pools.services.conflicts import refuse_conflict
from pools.services.protocols import document_digest, key_in_force, signatures_under, unsealed_protocol
from pools.snapshots.dissents import statement_of
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.dissent import dissent_payload as dissent_payload_of

MOST_LETTERS = 2_000


def dissent(*, code: str, member: User, words: str, passphrase: str, read: str | None = None) -> ProtocolDissent:
    """Record why a member disagrees with the protocol that is being signed; the member may sign it or not.

    Before the first signature the words become part of the document, so who has read it reads it again; after it they
    are a statement signed with the member's own key, beside the document; it is published and logged with the result.
    `read` is the digest of the document that the member disagrees with: if another one stands by now, nothing is said.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission or whose key is revoked;
        CONFLICT; WRONG_CODE; THROTTLED; BAD_VALUE without words; WRONG_STATE without a protocol that is being signed,
        for another one than was read, and for a second dissent.
    """
    words = written(words, field="words", most=MOST_LETTERS)
    pool = find_pool(code)
    only_member(pool, member)
    refuse_conflict(pool, member)
    private = unlock_key(key_in_force(pool, member), passphrase)
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        refuse_conflict(pool, member)
        key = key_in_force(pool, member)
        protocol = unsealed_protocol(pool, read)
        if dissents_from(protocol).filter(member=member).exists():
            raise DomainError(Refusal.WRONG_STATE, _("You have said why you disagree."))
        said = ProtocolDissent(
            pool=pool, version=protocol.version, member=member, key=key, words=words, said_at=clock.now()
        )
        if signatures_under(protocol).exists():
            said.signature = base64.b64encode(private.sign(dissent_payload(protocol, said))).decode()
        else:
            _write_into(protocol, key, words)
        said.save(force_insert=True)
        _write_act(pool, protocol, said, said.said_at)
    return said


def dissents_from(protocol: Protocol) -> Any:
    """Return what members have said against one version, the earliest first."""
    given = ProtocolDissent.objects.filter(pool_id=protocol.pool_id, version=protocol.version)
    return given.select_related("member").order_by("said_at")


def dissent_payload(protocol: Protocol, said: ProtocolDissent) -> bytes:
    """Return what is signed of a statement: who says what of which document."""
    return dissent_payload_of(statement_of(protocol, said))


def _write_into(protocol: Protocol, key: CommissionKey, words: str) -> None:
    document = parse_json(protocol.document_text.encode(), where="result.json")
    document["protocol"]["dissent"].append({"member": key.key_id, "opinion": words})
    protocol.document_text = canonical_json(document).decode()
    Protocol.objects.filter(pool_id=protocol.pool_id, version=protocol.version).update(
        document_text=protocol.document_text
    )


def _write_act(pool: Pool, protocol: Protocol, said: ProtocolDissent, at: datetime) -> None:
    write_journal(
        at=at,
        actor=said.member.actor,
        act="dissent",
        subject=f"protocol:{pool.code}/{protocol.version}",
        reason=said.words,
        after={"document": document_digest(protocol), "beside": bool(said.signature)},
    )

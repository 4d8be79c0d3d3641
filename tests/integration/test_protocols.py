"""Signing and sealing the protocol: M of N, each signature verified, sealed once for ever (¶10, ¶30, H2)."""

import base64
from datetime import timedelta
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import IntegrityError, connection, transaction

from accounts.models import Role
from pools.models import CommissionKey, Pool, PoolState, Protocol, ProtocolSignature
from pools.queries import pools_due_to_settle
from pools.services import protocols
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.commission_keys import published_keys, revoke_key
from pools.services.protocols import sign_protocol
from pools.snapshots.result import result_document
from tests.making import PASSPHRASE, bet_from_account, make_commission, make_player, make_pool, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, members_of, seal
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.result import parse_result, signed_payload
from totalizator.engine.signatures import COMMISSION, parse_keys, signers

pytestmark = pytest.mark.django_db


def drawn_up(keys: list[CommissionKey] | None = None, need: int = 2) -> Pool:
    """A closed pool with a protocol to sign."""
    keys = keys if keys is not None else make_commission(3)
    quorum = {"members": [key.key_id for key in keys], "need": need}
    pool = make_pool(keys=keys, terms={"quorum": quorum})
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)
    close_by_clock(pool)
    draw_up(pool, "1;X;2")
    return pool


def test_the_last_needed_signature_seals_and_the_pool_is_resulted() -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    assert sign_protocol(code=pool.code, member=third, passphrase=PASSPHRASE) is False
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED
    assert Protocol.objects.get(pool=pool).sealed_at is None
    assert list(pools_due_to_settle()) == []
    assert sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE) is True
    assert Pool.objects.get(pk=pool.pk).state == PoolState.RESULTED
    protocol = Protocol.objects.get(pool=pool)
    assert protocol.sealed_at == ProtocolSignature.objects.get(key__member=first).signed_at
    assert list(pools_due_to_settle()) == [pool]
    record = JournalRecord.objects.get(act="seal_protocol")
    assert (record.actor, record.subject) == (first.actor, f"protocol:{pool.code}/1")
    refusal = refused(lambda: sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE))
    assert (refusal.code, refusal.http_status) == (Refusal.WRONG_STATE, 409)


def test_three_of_three_need_all_three() -> None:
    pool = drawn_up(need=3)
    sealed = [sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE) for member in members_of(pool)]
    assert sealed == [False, False, True]


def test_the_published_result_verifies_with_the_published_keys() -> None:
    pool = seal(close_by_clock(make_pool()), "1;X;2")
    document = result_document(Protocol.objects.get(pool=pool))
    result = parse_result(pool.terms, document)
    keys = parse_keys(published_keys())
    signed_by, wrong = signers(signed_payload(document), result.signatures, keys, COMMISSION)
    assert wrong is None
    assert len(signed_by) == 2
    assert pool.terms.quorum is not None
    assert signed_by <= set(pool.terms.quorum.members)
    document["conditions"]["1"] = ["2"]
    assert signers(signed_payload(document), result.signatures, keys, COMMISSION) == (
        frozenset(),
        result.signatures[0].key,
    )


def test_a_member_signs_once() -> None:
    pool = drawn_up()
    first = members_of(pool)[0]
    sign = partial(sign_protocol, code=pool.code, member=first, passphrase=PASSPHRASE)
    sign()
    assert refused(sign).code is Refusal.SAME_PERSON


def test_a_wrong_passphrase_signs_nothing_and_is_journalled() -> None:
    pool = drawn_up()
    before = JournalRecord.objects.count()
    with pytest.raises(DomainError) as caught:
        sign_protocol(code=pool.code, member=members_of(pool)[0], passphrase="a wrong passphrase")
    assert caught.value.code is Refusal.WRONG_CODE
    assert not ProtocolSignature.objects.exists()
    assert JournalRecord.objects.count() == before + 1
    assert JournalRecord.objects.latest("id").act == "wrong_passphrase"


def test_a_revoked_key_does_not_sign() -> None:
    pool = drawn_up()
    member = members_of(pool)[0]
    revoke_key(key_id=member.commission_keys.get().key_id, reason="lost", revoked_by=member)
    refusal = refused(lambda: sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE))
    assert refusal.code is Refusal.NOT_ALLOWED


def test_a_signature_whose_key_was_revoked_since_does_not_count_towards_the_seal() -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    revoke_key(key_id=first.commission_keys.get().key_id, reason="stolen", revoked_by=first)
    assert sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE) is False
    assert sign_protocol(code=pool.code, member=third, passphrase=PASSPHRASE) is True


def test_a_signature_of_another_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's verifier has the last word, whatever key the passphrase opened."""
    pool = drawn_up()
    monkeypatch.setattr(protocols, "unlock_key", lambda *_: Ed25519PrivateKey.generate())
    member = members_of(pool)[0]
    refusal = refused(lambda: sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE))
    assert refusal.code is Refusal.BAD_SIGNATURE


def test_without_a_protocol_there_is_nothing_to_sign() -> None:
    pool = make_pool()
    sign = partial(sign_protocol, code=pool.code, member=members_of(pool)[0], passphrase=PASSPHRASE)
    assert refused(sign).code is Refusal.WRONG_STATE
    close_by_clock(pool)
    assert refused(sign).code is Refusal.WRONG_STATE


def test_a_cancelled_pools_protocol_is_not_signed() -> None:
    pool, one, other = drawn_up(), make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)
    propose_cancellation(code=pool.code, reason="Annulled.", document="Order 3", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    member = members_of(pool)[0]
    refusal = refused(lambda: sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE))
    assert refusal.code is Refusal.WRONG_STATE


def test_h2_the_database_refuses_to_change_a_protocol() -> None:
    pool = drawn_up()
    change = "UPDATE pools_protocol SET document_text = '{}'"
    remove = "DELETE FROM pools_protocol"
    for sql in (change, remove, "UPDATE pools_protocol SET number = '2', sealed_at = now()"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)
    for member in members_of(pool)[:2]:
        sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE)
    sealed = Protocol.objects.get(pool=pool)
    for sql in (change, remove, "UPDATE pools_protocol SET sealed_at = NULL"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Protocol.objects.filter(pool=pool).update(sealed_at=clock.now() + timedelta(days=1))
    assert Protocol.objects.get(pool=pool) == sealed
    assert Protocol.objects.get(pool=pool).document_text == sealed.document_text


def test_the_database_takes_no_signature_under_a_sealed_protocol() -> None:
    pool = seal(close_by_clock(make_pool()), "1;X;2")
    third = members_of(pool)[2].commission_keys.get()
    signature = base64.b64encode(bytes(64)).decode()
    for version in (1, 2):
        with pytest.raises(IntegrityError, match="no unsealed protocol"), transaction.atomic():
            ProtocolSignature.objects.create(
                pool=pool, version=version, key=third, signature=signature, signed_at=clock.now()
            )
    for sql in ("UPDATE pools_protocolsignature SET signature = ''", "DELETE FROM pools_protocolsignature"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)

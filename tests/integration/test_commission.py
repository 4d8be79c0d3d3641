"""The commission's keys, and who is appointed to a pool (¶10, X5)."""

import base64
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import override_settings

from accounts.models import Role, User
from pools.models import CommissionKey, Pool, PoolMember
from pools.services.commission_keys import create_key, published_keys, revoke_key, unlock_key
from pools.services.drafting import announce_pool, draft_pool, redraft_pool
from tests.making import (
    PASSPHRASE,
    make_commission,
    make_organizers,
    make_pool,
    make_rules,
    make_terms,
    make_user,
)
from tests.refusals import every_row, refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.signing import operator_key_id, operator_public_key, operator_sign
from totalizator.engine.ed25519 import verify
from totalizator.engine.signatures import COMMISSION, OPERATOR, PublicKey, parse_keys

pytestmark = pytest.mark.django_db


def terms(keys: list[CommissionKey], organizer: User, **changes: Any) -> dict[str, Any]:
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    closes_at = opens_at + timedelta(days=1)
    rules = make_rules(organizer)
    return make_terms(opens_at=opens_at, closes_at=closes_at, rules_version=rules, keys=keys, **changes)


def test_a_key_signs_what_the_engine_verifies_and_is_stored_wrapped() -> None:
    member = make_user(Role.COMMISSION)
    key = create_key(member=member, passphrase=PASSPHRASE)
    signature = unlock_key(key, PASSPHRASE).sign(b"message")
    assert verify(base64.b64decode(key.public), b"message", signature)
    assert key.wrapped_private.startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----")
    record = JournalRecord.objects.get(act="create_key")
    assert (record.actor, record.subject) == (member.actor, f"commission_key:{key.key_id}")


def test_a_wrong_passphrase_is_told_and_journalled_without_it() -> None:
    (key,) = make_commission(1)
    with pytest.raises(DomainError) as caught:
        unlock_key(key, "not the passphrase at all")
    assert (caught.value.code, caught.value.field) == (Refusal.WRONG_CODE, "passphrase")
    record = JournalRecord.objects.get(act="wrong_passphrase")
    assert (record.actor, record.subject) == (f"user:{key.member_id}", f"commission_key:{key.key_id}")
    assert "not the passphrase" not in str(every_row())


def test_a_dearer_setting_leaves_the_keys_made_before_it_working() -> None:
    (old,) = make_commission(1)
    with override_settings(PASSPHRASE_COST=4):
        (new,) = make_commission(1)
    assert (old.passphrase_cost, new.passphrase_cost) == (2, 4)
    for key in (old, new):
        unlock_key(key, PASSPHRASE)


@pytest.mark.parametrize(
    ("passphrase", "allowed"), [("eleven char", False), ("twelve chars", True), ("", False), ("\ud800" * 12, True)]
)
def test_a_passphrase_has_twelve_characters(passphrase: str, *, allowed: bool) -> None:
    member = make_user(Role.COMMISSION)
    if allowed:
        unlock_key(create_key(member=member, passphrase=passphrase), passphrase)
    else:
        refusal = refused(lambda: create_key(member=member, passphrase=passphrase))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "passphrase")


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.ORGANIZER])
def test_nobody_but_the_commission_has_keys(role: Role) -> None:
    person = make_user(role)
    assert refused(lambda: create_key(member=person, passphrase=PASSPHRASE)).code is Refusal.NOT_ALLOWED


def test_one_key_is_in_force_and_a_revoked_one_makes_place() -> None:
    (key,) = make_commission(1)
    stranger, member = make_user(Role.COMMISSION), key.member
    assert refused(lambda: create_key(member=member, passphrase=PASSPHRASE)).code is Refusal.WRONG_STATE
    revoke = revoke_key
    assert refused(lambda: revoke(key_id="?", reason="lost", revoked_by=member)).code is Refusal.NOT_FOUND
    assert refused(lambda: revoke(key_id=key.key_id, reason=" ", revoked_by=member)).code is Refusal.BAD_VALUE
    assert refused(lambda: revoke(key_id=key.key_id, reason="x", revoked_by=stranger)).code is Refusal.NOT_ALLOWED
    revoke_key(key_id=key.key_id, reason="lost", revoked_by=member)
    assert refused(lambda: revoke(key_id=key.key_id, reason="x", revoked_by=member)).code is Refusal.WRONG_STATE
    assert create_key(member=member, passphrase=PASSPHRASE).key_id != key.key_id


def test_the_database_keeps_keys_as_they_are() -> None:
    (key,) = make_commission(1)
    for sql in (
        "UPDATE pools_commissionkey SET public = 'x'",
        "UPDATE pools_commissionkey SET wrapped_private = 'x', revoked_at = now()",
        "UPDATE pools_commissionkey SET passphrase_cost = 4",
        "DELETE FROM pools_commissionkey",
    ):
        with pytest.raises(IntegrityError, match="only be revoked"), transaction.atomic():
            connection.cursor().execute(sql)
    with pytest.raises(IntegrityError, match="pools_one_key_in_force"), transaction.atomic():
        CommissionKey.objects.create(key_id="another", member=key.member, created_at=key.created_at, passphrase_cost=2)


def test_published_keys_are_the_operators_and_all_of_the_commission_ever() -> None:
    keys = make_commission(2)
    revoke_key(key_id=keys[0].key_id, reason="lost", revoked_by=keys[0].member)
    published = parse_keys(published_keys())
    assert published == {
        operator_key_id(): PublicKey(operator_public_key(), OPERATOR),
        **{key.key_id: PublicKey(base64.b64decode(key.public), COMMISSION) for key in keys},
    }


def test_the_operator_signs_the_same_way_each_time() -> None:
    entry = operator_sign(b"payload")
    assert entry == operator_sign(b"payload")
    assert (entry["key"], entry["algorithm"]) == (operator_key_id(), "ed25519")
    assert verify(operator_public_key(), b"payload", base64.b64decode(entry["signature"]))


def test_announcing_appoints_the_owners_of_the_quorums_keys() -> None:
    keys = make_commission(3)
    pool = make_pool(keys=keys)
    members = PoolMember.objects.filter(pool=pool).values_list("member_id", flat=True)
    assert sorted(members) == sorted(key.member_id for key in keys)


def test_a_draft_needs_two_keys_in_force_of_two_members() -> None:
    maker, _checker = make_organizers()
    keys = make_commission(3)
    revoke_key(key_id=keys[2].key_id, reason="lost", revoked_by=keys[2].member)
    names = [key.key_id for key in keys]
    for quorum in (
        None,
        {"members": names[:2], "need": 1},
        {"members": names[:1], "need": 1},
        {"members": [*names[:2], "unknown"], "need": 2},
        {"members": names, "need": 2},
    ):
        document = terms(keys, maker, quorum=quorum)
        refusal = refused(lambda: draft_pool(document=document, prepared_by=maker))  # noqa: B023
        assert (refusal.code, refusal.field) == (Refusal.BAD_TERMS, "quorum")
    document = terms(keys[:2], maker)
    pool = draft_pool(document=document, prepared_by=maker)
    worse = {**document, "quorum": {"members": names[:2], "need": 1}}
    refusal = refused(lambda: redraft_pool(code=pool.code, document=worse, prepared_by=maker))
    assert (refusal.code, refusal.field) == (Refusal.BAD_TERMS, "quorum")


def test_a_key_of_somebody_who_left_the_commission_does_not_count() -> None:
    maker, _checker = make_organizers()
    keys = make_commission(2)
    User.objects.filter(pk=keys[0].member_id).update(is_active=False)
    document = terms(keys, maker)
    assert refused(lambda: draft_pool(document=document, prepared_by=maker)).field == "quorum"


def test_a_key_revoked_after_the_draft_stops_the_announcement() -> None:
    maker, checker = make_organizers()
    keys = make_commission(2)
    pool = draft_pool(document=terms(keys, maker), prepared_by=maker)
    revoke_key(key_id=keys[0].key_id, reason="lost", revoked_by=keys[0].member)
    refusal = refused(lambda: announce_pool(code=pool.code, announced_by=checker))
    assert (refusal.code, refusal.field) == (Refusal.BAD_TERMS, "quorum")
    assert Pool.objects.get(pk=pool.pk).state == "draft"


@pytest.mark.parametrize("code", ["lower-1", "Т-1", "A B", "A/1", "A" * 21])
def test_a_pools_code_is_one_that_tickets_can_carry(code: str) -> None:
    maker, _checker = make_organizers()
    document = terms(make_commission(2), maker, code=code)
    refusal = refused(lambda: draft_pool(document=document, prepared_by=maker))
    assert (refusal.code, refusal.field) == (Refusal.BAD_TERMS, "pool.code")

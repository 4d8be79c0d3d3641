"""Who must not decide a pool neither enters nor signs, and nothing of theirs counts (¶10, H1)."""

from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import InsiderKind, Role, User
from accounts.services.insiders import list_insider
from pools.models import ConflictDeclaration, PoolMember, Protocol, ProtocolSignature
from pools.services.conflicts import declare_conflict, has_bet
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, correct_result, enter_result
from tests.making import (
    PASSPHRASE,
    bet_from_account,
    bet_in_cash,
    make_player,
    make_pool,
    make_till,
    make_user,
    somebody,
)
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, make_result, members_of
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
FIRST_KEY = 0


def test_the_chair_is_whose_key_the_terms_name_first() -> None:
    pool = make_pool()
    assert pool.terms.quorum is not None
    chair = PoolMember.objects.get(pool=pool, chair=True)
    assert chair.member.commission_keys.get().key_id == pool.terms.quorum.members[FIRST_KEY]
    assert pool.members.count() == 3
    with pytest.raises(IntegrityError, match="pools_one_chair"), transaction.atomic():
        PoolMember.objects.create(pool=pool, member=make_user(Role.COMMISSION), chair=True)


def test_a_declared_conflict_forbids_to_enter_and_to_sign() -> None:
    pool = close_by_clock(make_pool())
    first, second, third = members_of(pool)
    declare_conflict(code=pool.code, member=first, reason="My brother plays in match 2.")
    record = JournalRecord.objects.get(act="declare_conflict")
    assert (record.actor, record.subject) == (first.actor, f"pool:{pool.code}")
    refusal = refused(lambda: enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2")))
    assert (refusal.code, refusal.http_status, refusal.details) == (Refusal.CONFLICT, 403, {"bet": False})
    for member in (second, third):
        enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2"))
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    assert refused(lambda: sign(member=first)).code is Refusal.CONFLICT
    assert [sign(member=member) for member in (second, third)] == [False, True]


def test_a_conflict_is_declared_once_by_a_member_with_a_reason_and_stays() -> None:
    pool = make_pool()
    member = members_of(pool)[0]
    stranger = make_user(Role.COMMISSION)
    declare = partial(declare_conflict, code=pool.code, member=member, reason="My club.")
    assert refused(lambda: declare(reason=" ")).code is Refusal.BAD_VALUE
    assert refused(lambda: declare(member=stranger)).code is Refusal.NOT_ALLOWED
    declare()
    assert refused(declare).code is Refusal.WRONG_STATE
    for sql in ("UPDATE pools_conflictdeclaration SET reason = ''", "DELETE FROM pools_conflictdeclaration"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)
    assert ConflictDeclaration.objects.count() == 1


def test_an_entry_of_who_declares_a_conflict_since_counts_no_more() -> None:
    pool = close_by_clock(make_pool())
    first, second, third = members_of(pool)
    enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2"))
    declare_conflict(code=pool.code, member=first, reason="I see now: my club.")
    entering = partial(enter_result, code=pool.code, result=make_result(pool, "1;X;2"))
    assert entering(member=second) == ResultProgress(attempt=2, entries=1)
    assert entering(member=third).protocol is not None


def test_a_protocol_drawn_up_by_who_declares_a_conflict_since_is_not_signed_but_entered_anew() -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    first, second, third = members_of(pool)
    declare_conflict(code=pool.code, member=first, reason="My club.")
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    assert refused(lambda: sign(member=third)).code is Refusal.CONFLICT
    anew = partial(correct_result, code=pool.code, result=make_result(pool, "1;X;2"), document="Declaration")
    anew(member=second, reason="Entered by a member in conflict.")
    progress = anew(member=third, reason="Entered by a member in conflict.")
    assert progress.protocol is not None
    assert progress.protocol.version == 2
    assert [sign(member=member) for member in (second, third)] == [False, True]


def test_a_signature_of_who_declares_a_conflict_since_does_not_seal() -> None:
    pool = close_by_clock(make_pool())
    second, third, first = members_of(pool)
    for member in (second, third):
        enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2"))
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    sign(member=first)
    declare_conflict(code=pool.code, member=first, reason="My club.")
    assert sign(member=second) is False
    assert Protocol.objects.get(pool=pool).sealed_at is None
    assert sign(member=third) is True
    assert ProtocolSignature.objects.filter(pool=pool).count() == 3


def test_a_bet_is_found_by_the_log_in_that_placed_it() -> None:
    pool, other = make_pool(), make_pool()
    member, player = members_of(pool)[0], make_player(1_000)
    bet_from_account(pool, player, "1;1;1", 100)
    assert [has_bet(pool, player), has_bet(other, player), has_bet(pool, member)] == [True, False, False]


def test_a_member_known_by_identity_number_who_bet_at_a_desk_is_refused() -> None:
    pool = make_pool()
    first, second, _third = members_of(pool)
    shown = somebody("MEMBER00001")
    bet_in_cash(pool, make_till(), "1;1;1", 100, person=shown)
    close_by_clock(pool)
    list_member(first, "MEMBER00001")
    list_member(second, "MEMBER00002")
    refusal = refused(lambda: enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2")))
    assert (refusal.code, refusal.details) == (Refusal.CONFLICT, {"bet": True})
    assert enter_result(code=pool.code, member=second, result=make_result(pool, "1;X;2")).entries == 1


def test_a_member_whose_own_game_account_bet_is_refused() -> None:
    """The player with the member's identity number bet before the member was listed."""
    pool, other = make_pool(), make_pool()
    first = members_of(pool)[0]
    player = make_player(1_000)
    bet_from_account(pool, player, "1;1;1", 100)
    assert player.person.number_digest is not None
    list_member(first, f"TEST{player.pk:06}")
    assert has_bet(pool, first)
    assert not has_bet(other, first)


def list_member(member: User, number: str) -> None:
    """Put a member on the list of insiders."""
    staff = make_user(Role.ORGANIZER)
    list_insider(identity_number=number, kind=InsiderKind.COMMISSION, listed_by=staff, user=member)

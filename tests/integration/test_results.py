"""Entering the result: two members, apart, and nothing is drawn up until they agree (H1, H2, ¶10, ¶30)."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Role, User
from pools.models import Protocol, ResultEntry
from pools.services import closing
from pools.services.differing import entries_side_by_side
from pools.services.protocols import sign_protocol
from pools.services.result_entries import Difference
from pools.services.results import ResultProgress, enter_result
from tests.making import PASSPHRASE, bet_from_account, make_commission, make_player, make_pool, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, make_result, members_of, seal
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import canonical_json, digest
from totalizator.engine.instants import instant_text

pytestmark = pytest.mark.django_db


def test_two_like_entries_draw_up_the_protocol() -> None:
    pool = close_by_clock(make_pool())
    first, second, _third = members_of(pool)
    result = make_result(pool, "1;X+2;void", started_at=pool.closes_at + timedelta(seconds=5))
    progress = enter_result(code=pool.code, member=first, result=result)
    assert progress == ResultProgress(attempt=1, entries=1)
    assert not Protocol.objects.exists()
    same = {**result, "conditions": {"3": "void", "2": ["2", "X"], "1": ["1"]}}  # the order of writing says nothing
    progress = enter_result(code=pool.code, member=second, result=same)
    protocol = Protocol.objects.get(pool=pool)
    assert progress == ResultProgress(attempt=1, entries=2, protocol=protocol)
    assert (protocol.version, protocol.number, protocol.sealed_at) == (1, f"{pool.code}/1", None)
    agreed = {
        "conditions": {"1": ["1"], "2": ["X", "2"], "3": "void"},
        "event_void": False,
        "first_started_at": (pool.closes_at + timedelta(seconds=5)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    document = {
        "protocol": {
            "number": f"{pool.code}/1",
            "version": 1,
            "previous": None,
            "digest": digest(canonical_json(agreed)),
            "sealed_at": instant_text(protocol.drawn_up_at),
            "evidence": [
                {"condition": "3", "source": "did not take place: Rain."},
                {
                    "source": "The federation https://example.org/round",
                    "captured_at": instant_text(pool.evidence.get().captured_at),
                    "digest": digest(b"the whole round"),
                },
            ],
            "dissent": [],
        },
        **agreed,
    }
    assert protocol.document_text == canonical_json(document).decode()
    acts = JournalRecord.objects.filter(act__in=["enter_result", "draw_up_protocol"]).order_by("id")
    assert [record.actor for record in acts] == [first.actor, second.actor, "pools"]


def test_the_journal_does_not_tell_one_member_what_the_other_entered() -> None:
    pool = close_by_clock(make_pool())
    member = members_of(pool)[0]
    enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2"))
    record = JournalRecord.objects.get(act="enter_result")
    text = ResultEntry.objects.get().result_text
    evidence = [pool.evidence.get().pk]
    assert record.after == {"attempt": 1, "result": digest(text.encode()), "evidence": evidence}


def test_h1_entries_that_differ_draw_up_nothing_and_both_enter_again() -> None:
    pool = close_by_clock(make_pool())
    first, second, _third = members_of(pool)
    later = pool.closes_at + timedelta(seconds=1)
    enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2"))
    progress = enter_result(code=pool.code, member=second, result=make_result(pool, "1;1;X", started_at=later))
    assert progress == ResultProgress(attempt=1, entries=2, differing=("2", "3", "first_started_at"))
    assert not Protocol.objects.exists()
    assert JournalRecord.objects.get(act="results_differ").after == {
        "attempt": 1,
        "differing": ["2", "3", "first_started_at"],
    }
    refusal = refused(lambda: sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE))
    assert refusal.code is Refusal.RESULT_MISMATCH
    again = make_result(pool, "1;X;2")
    assert enter_result(code=pool.code, member=second, result=again) == ResultProgress(attempt=2, entries=1)
    progress = enter_result(code=pool.code, member=first, result=again)
    assert (progress.attempt, progress.differing) == (2, ())
    assert progress.protocol == Protocol.objects.get()
    assert ResultEntry.objects.count() == 4


def test_h1_the_same_member_does_not_enter_twice() -> None:
    pool = close_by_clock(make_pool())
    member, result = members_of(pool)[0], make_result(pool, "1;X;2")
    enter_result(code=pool.code, member=member, result=result)
    for other in (result, make_result(pool, "1;X;1")):
        refusal = refused(partial(enter_result, code=pool.code, member=member, result=other))
        assert refusal.code is Refusal.SAME_PERSON


def people_outside() -> list[User]:
    stranger = make_commission(1)[0].member  # of the commission, but not appointed to this pool
    return [stranger, *(make_user(role) for role in (Role.PLAYER, Role.CASHIER, Role.ORGANIZER))]


def test_nobody_but_the_pools_members_enters_or_signs() -> None:
    pool = close_by_clock(make_pool())
    draw = make_result(pool, "1;X;2")
    for person in people_outside():
        refusal = refused(partial(enter_result, code=pool.code, member=person, result=draw))
        assert refusal.code is Refusal.NOT_ALLOWED
        refusal = refused(partial(sign_protocol, code=pool.code, member=person, passphrase=PASSPHRASE))
        assert refusal.code is Refusal.NOT_ALLOWED


def test_a_member_who_left_the_commission_no_longer_enters() -> None:
    pool = close_by_clock(make_pool())
    member = members_of(pool)[0]
    User.objects.filter(pk=member.pk).update(is_active=False)
    refusal = refused(lambda: enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2")))
    assert refusal.code is Refusal.NOT_ALLOWED


def test_the_result_waits_for_the_closing_and_the_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool()
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)
    member, result = members_of(pool)[0], make_result(pool, "1;X;2")
    enter = partial(enter_result, code=pool.code, member=member, result=result)
    assert refused(enter).code is Refusal.WRONG_STATE
    with monkeypatch.context() as patched:
        patched.setattr(closing, "seal_bets", lambda **_: None)
        close_by_clock(pool)
    assert refused(enter).code is Refusal.WRONG_STATE  # the bets could still be looked at beside the result
    closing.seal_bets(code=pool.code, actor="test")
    assert enter().entries == 1


def test_no_result_is_entered_once_a_protocol_stands() -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    third = members_of(pool)[2]
    enter = partial(enter_result, code=pool.code, member=third, result=make_result(pool, "1;X;1"))
    assert refused(enter).code is Refusal.WRONG_STATE
    first, second = members_of(pool)[:2]
    sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE)
    assert refused(enter).code is Refusal.WRONG_STATE


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"first_started_at": "2026-12-05T12:00Z"}, "result.json, first_started_at"),  # H2: no seconds
        ({"first_started_at": "2026-12-05T12:00:05.250000Z"}, "first_started_at"),
        ({"first_started_at": "2026-13-05T12:00:05Z"}, "result.json, first_started_at"),
        ({"first_started_at": None}, "result.json, first_started_at"),
        ({"first_started_at": 5}, "result.json, first_started_at"),
        ({"first_started_at": "2199-01-01T00:00:00Z"}, "first_started_at"),
        ({"conditions": {"1": ["1"], "2": ["X"]}}, "result.json, conditions.3"),
        ({"conditions": {"1": ["1"], "2": ["X"], "3": []}}, "result.json, conditions.3"),
        ({"conditions": {"1": ["1"], "2": ["X"], "3": ["5"]}}, "result.json, conditions.3[0]"),
        ({"conditions": {"1": ["1"], "2": ["X"], "3": ["1", "1"]}}, "result.json, conditions.3"),
        ({"conditions": {"1": ["1"], "2": ["X"], "3": ["1"], "4": ["1"]}}, "result.json, conditions.4"),
        ({"conditions": "void"}, "result.json, conditions"),
        ({"event_void": 1}, "result.json, event_void"),
        ({"protocol": {}}, "protocol"),
        ({"signatures": []}, "signatures"),
    ],
)
def test_a_result_that_cannot_be_is_refused(change: dict[str, Any], field: str) -> None:
    pool = close_by_clock(make_pool())
    member, result = members_of(pool)[0], {**make_result(pool, "1;X;2"), **change}
    refusal = refused(lambda: enter_result(code=pool.code, member=member, result=result))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_an_event_that_did_not_take_place_needs_no_start() -> None:
    pool = close_by_clock(make_pool())
    result = {
        "conditions": {},
        "event_void": True,
        "first_started_at": None,
        "void_reasons": {"event": "The hall burnt down."},
    }
    first, second = members_of(pool)[:2]
    enter_result(code=pool.code, member=first, result=result)
    everything_void = {**result, "conditions": {"1": "void", "2": "void", "3": "void"}}
    progress = enter_result(code=pool.code, member=second, result=everything_void)
    assert progress.protocol is not None
    document = json.loads(progress.protocol.document_text)
    assert (document["event_void"], document["first_started_at"]) == (True, None)
    assert document["conditions"] == {"1": "void", "2": "void", "3": "void"}


def test_a_start_before_the_closing_is_what_makes_bets_late() -> None:
    """G2: the real start may lie before the closing; the entry takes it, settlement voids the late bets."""
    pool = make_pool()
    started = clock.now().replace(microsecond=0)
    assert seal(close_by_clock(pool), "1;X;2", started_at=started).state == "resulted"


def test_entries_stay_as_they_were_written() -> None:
    pool = close_by_clock(make_pool())
    enter_result(code=pool.code, member=members_of(pool)[0], result=make_result(pool, "1;X;2"))
    for sql in ("UPDATE pools_resultentry SET result_text = '{}'", "DELETE FROM pools_resultentry"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)


@pytest.mark.parametrize(
    ("reasons", "field"),
    [
        ({}, "void_reasons.3"),
        ({"3": "  "}, "void_reasons.3"),
        ({"3": 5}, "void_reasons.3"),
        ({"3": "Rain\x00."}, "void_reasons.3"),
        ({"3": "Rain\ud800."}, "void_reasons.3"),
        ({"3": "Rain.", "1": "Rain."}, "void_reasons"),
        ({"event": "Rain."}, "void_reasons"),
        ("Rain.", "void_reasons"),
    ],
)
def test_h2_what_is_void_has_a_reason_and_nothing_else_has(reasons: Any, field: str) -> None:
    pool = close_by_clock(make_pool())
    member, result = members_of(pool)[0], {**make_result(pool, "1;X;void"), "void_reasons": reasons}
    refusal = refused(lambda: enter_result(code=pool.code, member=member, result=result))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_two_reasons_in_other_words_agree_and_both_are_signed() -> None:
    pool = close_by_clock(make_pool())
    result = make_result(pool, "1;X;void")
    first, second = members_of(pool)[:2]
    enter_result(code=pool.code, member=first, result={**result, "void_reasons": {"3": "Rain."}})
    progress = enter_result(code=pool.code, member=second, result={**result, "void_reasons": {"3": "A wet pitch."}})
    assert progress.protocol is not None
    said = json.loads(progress.protocol.document_text)["protocol"]["evidence"][0]
    assert said == {"condition": "3", "source": "did not take place: Rain.; A wet pitch."}


def test_h1_entries_are_shown_side_by_side_only_to_the_two_who_made_them() -> None:
    pool = close_by_clock(make_pool())
    first, second, third = members_of(pool)
    enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2"))
    for member in (first, second, third):  # one entry: nobody sees it, not even its own member
        assert refused(partial(entries_side_by_side, pool, member)).code is Refusal.NOT_FOUND
    enter_result(code=pool.code, member=second, result=make_result(pool, "1;1+X;2"))
    assert refused(partial(entries_side_by_side, pool, third)).code is Refusal.NOT_FOUND
    assert refused(partial(entries_side_by_side, pool, make_user(Role.ORGANIZER))).code is Refusal.NOT_ALLOWED
    for member in (first, second):
        shown = entries_side_by_side(pool, member)
        assert [entry.member for entry in shown.entries] == [first, second]
        assert list(shown.differences) == [Difference("2", ["X"], ["1", "X"])]
    enter_result(code=pool.code, member=second, result=make_result(pool, "1;X;2"))
    assert entries_side_by_side(pool, first).attempt == 1  # not the second's new entry
    enter_result(code=pool.code, member=first, result=make_result(pool, "1;X;2"))
    assert (entries_side_by_side(pool, first).attempt, entries_side_by_side(pool, first).differences) == (2, ())

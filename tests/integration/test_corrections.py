"""A clerical error found before the settlement: a next version, and settled by the newest (H5, I10)."""

import json
from functools import partial

import pytest

from pools.models import LogEntry, Pool, PoolState, Protocol, Settlement
from pools.queries import pools_due_to_settle
from pools.services.calculating import calculate_settlement
from pools.services.protocols import document_digest, sign_protocol
from pools.services.results import ResultProgress, correct_result
from pools.services.settling import settle_pool
from pools.snapshots.result import result_file, sealed_protocol
from tests.making import PASSPHRASE, make_pool
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, make_result, members_of, seal
from tests.settling import sell, statement_of, winnings_of
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db


def correct(pool: Pool, right: str) -> ResultProgress:
    """Let two members enter what the result should have been."""
    act = partial(
        correct_result,
        code=pool.code,
        result=make_result(pool, right),
        reason="Home and away were mixed up.",
        document="Referee's sheet 12",
    )
    first, second = members_of(pool)[:2]
    act(member=first)
    return act(member=second)


def sign_by_two(pool: Pool) -> None:
    signed = [sign_protocol(code=pool.code, member=each, passphrase=PASSPHRASE) for each in members_of(pool)[:2]]
    assert signed == [False, True]


def test_h5_an_error_found_before_sealing_makes_a_second_version_and_only_that_is_signed() -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    first = Protocol.objects.get(pool=pool)
    progress = correct(pool, "2;X;2")
    assert progress.protocol is not None
    second = progress.protocol
    assert (second.version, second.number) == (2, f"{pool.code}/2")
    document = json.loads(second.document_text)
    assert document["protocol"]["previous"] == document_digest(first)
    words = "corrects version 1: Home and away were mixed up. (Referee's sheet 12)"
    assert document["protocol"]["evidence"][0] == {"source": words}
    sign_by_two(pool)
    first.refresh_from_db()
    assert first.sealed_at is None
    assert sealed_protocol(pool) == Protocol.objects.get(pool=pool, version=2)
    assert list(pools_due_to_settle()) == [pool]


def test_h5_an_error_found_after_sealing_is_settled_by_the_second_version_and_the_first_is_kept() -> None:
    pool = make_pool("sportloto-variant")
    wrong, right = sell(pool, ("1", 100), ("2", 100))
    seal(close_by_clock(pool), "1")
    first = Protocol.objects.get(pool=pool)
    correct(pool, "2")
    assert list(pools_due_to_settle()) == []  # it waits for the signatures
    refusal = refused(partial(calculate_settlement, code=pool.code, actor="test"))
    assert refusal.code is Refusal.WRONG_STATE
    sign_by_two(pool)
    assert list(pools_due_to_settle()) == [pool]
    settle_pool(code=pool.code, actor="test")
    assert winnings_of(pool) == {(right, "all"): 140}
    assert wrong not in {ticket for ticket, _level in winnings_of(pool)}
    assert statement_of(pool)["winnings"] == 140
    assert Protocol.objects.get(pool=pool, version=1).document_text == first.document_text
    second = Protocol.objects.get(pool=pool, version=2)
    assert json.loads(second.document_text)["protocol"]["previous"] == digest(result_file(first))
    logged = LogEntry.objects.filter(subject=pool.code).order_by("index").values_list("kind", "version")
    assert list(logged) == [("commitment", 1), ("protocol", 1), ("correction", 2), ("settlement", 1)]
    assert JournalRecord.objects.get(act="settle_pool").after["protocol"] == f"{pool.code}/2"  # type: ignore[index]


def test_the_first_version_is_not_corrected_by_what_it_says_nor_without_a_reason_nor_by_one() -> None:
    pool = close_by_clock(make_pool())
    member = members_of(pool)[0]
    act = partial(
        correct_result,
        code=pool.code,
        member=member,
        result=make_result(pool, "1;X;1"),
        reason="Misread.",
        document="Sheet 1",
    )
    assert refused(act).code is Refusal.WRONG_STATE  # nothing to be corrected
    draw_up(pool, "1;X;2")
    for change, field in (({"reason": ""}, "reason"), ({"document": " "}, "document")):
        refusal = refused(partial(act, **change))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)
    assert refused(lambda: act(result=make_result(pool, "1;X;2"))).code is Refusal.BAD_VALUE
    assert act() == ResultProgress(attempt=2, entries=1)
    assert refused(act).code is Refusal.SAME_PERSON
    assert Protocol.objects.get(pool=pool).version == 1


def test_a_calculated_settlement_is_not_overtaken_by_a_correction() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    seal(close_by_clock(pool), "1;X;2")
    calculate_settlement(code=pool.code, actor="test")
    act = partial(
        correct_result,
        code=pool.code,
        member=members_of(pool)[0],
        result=make_result(pool, "1;X;1"),
        reason="Misread.",
        document="Sheet 1",
    )
    assert refused(act).code is Refusal.WRONG_STATE
    assert Settlement.objects.get(pool=pool).state == "calculated"


def test_two_corrections_that_differ_draw_up_nothing_and_settling_goes_on_by_the_first() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    seal(close_by_clock(pool), "1;X;2")
    first, second = members_of(pool)[:2]
    act = partial(correct_result, code=pool.code, reason="Misread.", document="Sheet 1")
    act(member=first, result=make_result(pool, "1;X;1"))
    progress = act(member=second, result=make_result(pool, "1;X;X"))
    assert progress == ResultProgress(attempt=2, entries=2, differing=("3",))
    assert list(pools_due_to_settle()) == [pool]
    settle_pool(code=pool.code, actor="test")
    pool.refresh_from_db()
    assert pool.state == PoolState.SETTLED

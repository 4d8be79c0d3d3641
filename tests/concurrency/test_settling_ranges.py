"""A huge pool settled by several workers at once, and by workers that are killed half-way (C22, C29, I9)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connection, transaction

from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from pools import tasks
from pools.models import Pool, PoolState, Settlement, SettlementState, SettlingRange
from pools.queries import tally
from pools.queries.settling_ranges import covers_all_time
from pools.services import settling_ranges
from pools.services.calculating import calculate_settlement
from pools.services.confirming import confirm_settlement
from pools.services.settling import settle_pool
from pools.services.settling_ranges import calculate_by_ranges, help_settling
from pools.snapshots.bundle import write_bundle
from tests.concurrency.racing import race
from tests.loaded_bets import load_bets
from tests.making import make_organizers, make_pool
from tests.refusals import refused
from tests.resulting import close_by_clock, seal
from tests.settling import ROOT, pot_of
from tests.settling_by_ranges import settled_bytes
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.verification import verify_bundle

pytestmark = pytest.mark.django_db(transaction=True)

LEVELS = [
    {"code": "5", "from": "1", "to": "1", "share": "1/2"},
    {"code": "4", "from": "4/5", "to": "4/5", "share": "1/4"},
    {"code": "3", "from": "3/5", "to": "3/5", "share": "1/4"},
]
BETS = 5_200
RANGES = 5
# Settles, and kills its own process, as the kernel would, at the so-manieth call of a function.
DIE_AT = """
import itertools, os, signal, sys
import django
django.setup()
from pools.services import settling_ranges
from pools.tasks import settle_due_pools
calls, real = itertools.count(1), getattr(settling_ranges, sys.argv[1])
def dying(*arguments, **names):
    if next(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **names)
setattr(settling_ranges, sys.argv[1], dying)
settle_due_pools()
"""


@pytest.fixture(autouse=True)
def _few_bets_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SETTLE_BY_RANGES_FROM", BETS)
    monkeypatch.setattr(site, "SETTLING_RANGE_BETS", BETS // RANGES)


def loaded_pool(bets: int = BETS) -> Pool:
    pool = make_pool(conditions=5, terms={"levels": LEVELS})
    load_bets(pool, bets)
    close_by_clock(pool)
    return seal(pool, "1;1;1;1;1")


def die_at(function: str, call: int) -> int:
    """Run the settling job in a process of its own that dies there; return how it ended."""
    database = connection.settings_dict
    address = f"postgresql://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}"
    environment = {
        **os.environ,
        "DATABASE_OWNER_URL": f"{address}/{database['NAME']}",
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "tests.settings"),
        "OPERATOR_KEY": site.OPERATOR_KEY,
        "SETTLE_BY_RANGES_FROM": str(BETS),
        "SETTLING_RANGE_BETS": str(BETS // RANGES),
    }
    command = [sys.executable, "-c", DIE_AT, function, str(call)]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=60).returncode


def by_one_statement(pool: Pool) -> tuple[object, ...]:
    with transaction.atomic():
        calculate_settlement(code=pool.code, actor="test")
        computed = settled_bytes(pool)
        transaction.set_rollback(True)
    return computed


@pytest.mark.parametrize(
    ("function", "call", "state", "counted"),
    [
        ("count_range", 3, None, 2),
        ("store_settlement", 1, None, RANGES),
        ("insert_winnings", 3, SettlementState.WRITING, RANGES),
    ],
)
def test_c22_killed_half_way_and_run_again(
    function: str, call: int, state: str | None, counted: int, tmp_path: Path
) -> None:
    pool = loaded_pool()
    expected = by_one_statement(pool)
    assert die_at(function, call) == -9
    assert Settlement.objects.filter(pool=pool).values_list("state", flat=True).first() == state
    ranges = SettlingRange.objects.filter(pool=pool)
    assert (ranges.count(), ranges.filter(counted__isnull=False).count()) == (RANGES, counted)
    assert ranges.filter(written=True).count() == {"insert_winnings": 2}.get(function, RANGES if state else 0)
    calculate_by_ranges(code=pool.code, actor="test")
    assert settled_bytes(pool) == expected
    tasks.settle_due_pools()
    pool.refresh_from_db()
    assert (pool.state, pot_of(pool)) == (PoolState.SETTLED, 0)
    journalled = JournalRecord.objects.filter(subject=f"pool:{pool.code}", act="calculate_settlement")
    assert journalled.count() == 1
    write_bundle(pool, tmp_path)
    assert verify_bundle(tmp_path).difference is None


def test_four_workers_at_once_do_each_range_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = loaded_pool()
    expected = by_one_statement(pool)
    seen = []
    count_range = tally.count_range

    def noted(*arguments: object) -> object:
        seen.append(arguments[-1])
        return count_range(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(settling_ranges, "count_range", noted)
    race(
        [
            lambda: calculate_by_ranges(code=pool.code, actor="test"),
            *[lambda: help_settling(code=pool.code, actor="test")] * 3,
        ]
    )
    assert len(seen) == len(set(seen)) == RANGES
    assert settled_bytes(pool) == expected
    assert JournalRecord.objects.filter(act="calculate_settlement").count() == 1


def test_whoever_settles_calls_for_help_and_is_called_in_vain_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = loaded_pool()
    called: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        settling_ranges, "enqueue_after_commit", lambda task, *arguments, **_names: called.append((task, *arguments))
    )
    settle_pool(code=pool.code, actor="test")
    assert called == [("pools.tasks.help_settling", pool.code)] * (RANGES - 1) * 2  # to count, and to write
    before = settled_bytes(pool)
    tasks.help_settling(pool.code)
    tasks.help_settling("T-NONE")
    assert settled_bytes(pool) == before


def test_a_bet_cancelled_after_the_first_count_is_counted_by_nobody() -> None:
    pool = loaded_pool()
    settling_ranges._cut(pool.code)
    assert settling_ranges._count_range(pool, wait=False)
    one, other = make_organizers()
    ticket = pool.bets.order_by("ticket").values_list("ticket", flat=True)[0]
    proposal = propose_bet_cancellation(ticket=ticket, reason="a breach", document="No 1", proposed_by=one)
    approve_bet_cancellation(proposal=proposal, approved_by=other)
    expected = by_one_statement(pool)
    help_settling(code=pool.code, actor="test")  # can only find that nothing holds any more
    assert not Settlement.objects.filter(pool=pool).exists()
    calculate_by_ranges(code=pool.code, actor="test")
    assert settled_bytes(pool) == expected


def test_no_bet_is_cancelled_and_nothing_confirmed_while_winnings_are_written() -> None:
    pool = loaded_pool()
    settling_ranges._cut(pool.code)
    while not Settlement.objects.filter(pool=pool).exists():
        assert settling_ranges._count_range(pool, wait=False) or settling_ranges._divide(pool.code)
    settlement = Settlement.objects.get(pool=pool)
    assert settling_ranges._write_range(pool, settlement, wait=False)
    assert settling_ranges._finish(pool.code, "test") is False
    one, _other = make_organizers()
    ticket = pool.bets.values_list("ticket", flat=True)[0]
    refusal = refused(
        lambda: propose_bet_cancellation(ticket=ticket, reason="a breach", document="No 1", proposed_by=one)
    )
    assert refusal.code == Refusal.WRONG_STATE
    refusal = refused(lambda: confirm_settlement(code=pool.code, actor="test"))
    assert refusal.code == Refusal.WRONG_STATE
    for state in ("official", "disputed"):
        with pytest.raises(Exception, match="it can only become"), transaction.atomic():
            Settlement.objects.filter(pool=pool).update(state=state)
    settle_pool(code=pool.code, actor="test")
    assert pot_of(pool) == 0


def test_a_range_that_is_not_there_is_found_missing() -> None:
    whole = [SettlingRange(number=number, since=since, before=before) for number, since, before in _chain("abcd")]
    assert covers_all_time(whole[::-1])
    for lacking in range(4):
        assert not covers_all_time(whole[:lacking] + whole[lacking + 1 :])
    assert not covers_all_time([*whole, whole[1]])
    assert not covers_all_time([])


def _chain(names: str) -> list[tuple[int, str | None, str | None]]:
    ends = [None, *names[1:], None]
    return [(number, ends[number], ends[number + 1]) for number in range(len(names))]

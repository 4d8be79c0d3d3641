"""The jobs that move pools: found by state, one bad pool never stops the others (A3, C28, C50)."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Transfer
from pools import tasks
from pools.models import Commitment, Pool, PoolState, RulesText, Settlement, Winning
from pools.services.filing import last_filing_day
from pools.services.rules import publish_rules, record_filing
from pools.services.settling import settle_pool
from tests.making import make_organizers, make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import pot_of, sell
from totalizator.core import clock
from totalizator.core.models import JournalRecord, NonWorkingDay
from totalizator.engine.difference import Difference

pytestmark = pytest.mark.django_db


def resulted_pool() -> Pool:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    close_by_clock(pool)
    return seal(pool, "1")


def states(*pools: Pool) -> list[str]:
    return [Pool.objects.get(pk=pool.pk).state for pool in pools]


def test_pools_open_and_close_by_the_clock() -> None:
    pool = make_pool(is_open=False, opens_in=timedelta(hours=1), lasts=timedelta(hours=1))
    tasks.open_due_pools()
    assert states(pool) == [PoolState.ANNOUNCED]
    clock.move_clock(timedelta(minutes=61))
    tasks.open_due_pools()
    tasks.close_due_pools()
    assert states(pool) == [PoolState.OPEN]
    clock.move_clock(timedelta(minutes=60))
    tasks.close_due_pools()
    assert states(pool) == [PoolState.CLOSED]
    assert Commitment.objects.filter(pool=pool).exists()


def test_a_pool_closed_by_a_job_that_died_before_sealing_is_sealed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = make_pool()
    sell(pool, ("1;1;1", 100))

    def die(**_arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("pools.services.closing.seal_bets", die)
    clock.move_clock(timedelta(days=2))
    with pytest.MonkeyPatch.context() as seal_job:
        seal_job.setattr(tasks, "seal_bets", die)
        tasks.close_due_pools()
    assert states(pool) == [PoolState.CLOSED]
    assert not Commitment.objects.filter(pool=pool).exists()
    monkeypatch.undo()
    tasks.close_due_pools()
    assert Commitment.objects.filter(pool=pool).exists()


def test_c28_one_bad_pool_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, second, third = resulted_pool(), resulted_pool(), resulted_pool()

    def settle_or_raise(*, code: str, actor: str) -> Settlement:
        if code == bad.code:
            raise ValueError("malformed")
        return settle_pool(code=code, actor=actor)

    monkeypatch.setattr(tasks, "settle_pool", settle_or_raise)
    tasks.settle_due_pools()
    assert states(bad, second, third) == [PoolState.RESULTED, PoolState.SETTLED, PoolState.SETTLED]
    tasks.settle_due_pools()
    (report,) = JournalRecord.objects.filter(act="settle_pool_failed")
    assert (report.subject, report.reason, report.actor) == (
        f"pool:{bad.code}",
        "ValueError: malformed",
        "task:settle_pool",
    )
    assert (pot_of(bad), Settlement.objects.filter(pool=bad).count()) == (200, 0)
    monkeypatch.undo()
    tasks.settle_due_pools()
    assert states(bad) == [PoolState.SETTLED]


def test_c28_another_fault_of_the_same_pool_is_reported_too(monkeypatch: pytest.MonkeyPatch) -> None:
    resulted_pool()
    faults = iter(["first", "first", "other", "first"])

    def always_raise(**_arguments: object) -> None:
        raise ValueError(next(faults))

    monkeypatch.setattr(tasks, "settle_pool", always_raise)
    for _ in range(4):
        tasks.settle_due_pools()
    reports = JournalRecord.objects.filter(act="settle_pool_failed").order_by("id").values_list("reason", flat=True)
    assert list(reports) == ["ValueError: first", "ValueError: other", "ValueError: first"]


def test_c28_a_disputed_pool_is_reported_once_and_waits_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    disputed, other = resulted_pool(), resulted_pool()

    def differ(pool: Pool, *_rest: object) -> None:
        if pool.code == disputed.code:
            raise Difference("tally.json, lines: 1 and 2")

    monkeypatch.setattr("pools.services.confirming._compare", differ)
    tasks.settle_due_pools()
    tasks.settle_due_pools()
    assert states(disputed, other) == [PoolState.RESULTED, PoolState.SETTLED]
    assert JournalRecord.objects.filter(act="dispute_settlement").count() == 1
    assert JournalRecord.objects.filter(act="settle_pool_failed").count() == 1


def test_c50_a_settlement_delivered_again_and_again_settles_once() -> None:
    pool = resulted_pool()
    for _ in range(3):
        tasks.settle_due_pools()
    assert Settlement.objects.filter(pool=pool).count() == 1
    assert Winning.objects.filter(pool=pool).count() == 1
    assert sorted(Transfer.objects.filter(book=pool.pk, key__startswith="settle:").values_list("key", flat=True)) == [
        "settle:takeout",
        "settle:winnings",
    ]
    assert JournalRecord.objects.filter(act="settle_pool").count() == 1


# -- Filing of the rules text (A3) ----------------------------------------------------------------------------


def test_a3_two_working_days_are_counted_over_weekends_and_holidays() -> None:
    friday = datetime(2026, 11, 27, tzinfo=UTC).date()
    assert last_filing_day(friday) == datetime(2026, 12, 1, tzinfo=UTC).date()
    NonWorkingDay.objects.create(day=datetime(2026, 11, 30, tzinfo=UTC).date(), name="moved")
    assert last_filing_day(friday) == datetime(2026, 12, 2, tzinfo=UTC).date()


def test_a3_a_version_not_filed_in_time_is_flagged_once() -> None:
    organizer, _other = make_organizers()
    filed = publish_rules(text="filed", valid_from=clock.now(), published_by=organizer)
    unfiled = publish_rules(text="not filed", valid_from=clock.now(), published_by=organizer)
    record_filing(version=filed.version, filing="No 1", filed_by=organizer)
    last = last_filing_day(clock.today())
    flags = JournalRecord.objects.filter(act="flag_unfiled_rules")
    while clock.today() < last:
        clock.move_clock(timedelta(days=1))
    tasks.flag_unfiled_rules()
    assert not flags.exists()
    clock.move_clock(timedelta(days=1))
    tasks.flag_unfiled_rules()
    tasks.flag_unfiled_rules()
    assert [record.subject for record in flags] == [f"rules:{unfiled.version}"]
    assert RulesText.objects.get(version=unfiled.version).filed_at is None

"""A correction killed half-way, and two at once: real processes and threads, and a negative control (C21, C22)."""

from functools import partial
from threading import Barrier

import pytest
from django.db import IntegrityError

from pools import tasks
from pools.locks import find_pool
from pools.models import CorrectedWinning, Correction, LogEntry, Pool
from pools.queries.corrections import correction_of
from pools.services import correcting_settlement
from pools.services.correcting_settlement import calculate_correction, correct_settlement
from pools.services.results import correct_result
from tests.concurrency import test_settling_kills
from tests.concurrency.racing import race
from tests.correcting import corrected_winnings, enter_correction, sign_correction
from tests.making import make_pool
from tests.resulting import make_result, members_of
from tests.settling import sell, settle
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30  # seconds


def sealed_pool() -> Pool:
    """A settled pool whose correcting protocol is sealed."""
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), *[("2", 100)] * 5)
    settle(pool, "1")
    enter_correction(pool, "2")
    sign_correction(pool)
    return pool


def lines_of(pool: Pool) -> list[tuple[str, int]]:
    return list(LogEntry.objects.filter(subject=pool.code).order_by("index").values_list("kind", "version"))[3:]


@pytest.mark.parametrize(
    ("module", "function", "calculated"),
    [
        ("pools.services.correcting_settlement", "refuse_wrong_rows", False),
        ("pools.services.correcting_settlement", "confirm_correction", True),
        ("pools.services.confirming", "settle", True),
        ("pools.services.making_corrected", "write_journal", True),
        ("pools.services.publishing", "append_to_log", True),
    ],
)
def test_c22_killed_in_the_middle_and_run_again(
    module: str, function: str, calculated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = sealed_pool()
    job = test_settling_kills.DIE_AT.replace("settle_due_pools", "correct_due_settlements")
    monkeypatch.setattr(test_settling_kills, "DIE_AT", job)
    assert test_settling_kills.die_at(module, function) == -9
    assert Correction.objects.filter(pool=pool, state="calculated").exists() == calculated
    assert CorrectedWinning.objects.filter(pool=pool).exists() == calculated
    assert lines_of(pool) == [("correction", 2)]
    tasks.correct_due_settlements()
    assert Correction.objects.get(pool=pool).state == "official"
    assert sorted(corrected_winnings(pool).values()) == [84] * 5
    assert lines_of(pool) == [("correction", 2), ("settlement", 2), ("amendment", 2)]
    assert JournalRecord.objects.filter(act="correct_settlement", subject=f"pool:{pool.code}").count() == 1


def test_c21_of_two_corrections_at_once_one_is_refused() -> None:
    pool = sealed_pool()
    results = race([partial(correct_settlement, code=pool.code, actor="test")] * 2)
    (refusal,) = [result for result in results if isinstance(result, DomainError)]
    assert refusal.code == Refusal.WRONG_STATE
    assert lines_of(pool) == [("correction", 2), ("settlement", 2), ("amendment", 2)]
    assert CorrectedWinning.objects.filter(pool=pool).count() == 5


def test_c21_negative_control_without_the_lock_both_publish(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both read that it is not official yet: only the database's trigger is left to stop the second."""
    pool = sealed_pool()
    calculate_correction(code=pool.code, actor="test")
    both_have_read = Barrier(2)

    def read_without_lock(code: str) -> Pool:
        return find_pool(code)

    def wait_when_read(of: Pool) -> Correction | None:
        found = correction_of(of)
        both_have_read.wait(PATIENCE)
        return found

    monkeypatch.setattr(correcting_settlement, "lock_pool", read_without_lock)
    monkeypatch.setattr(correcting_settlement, "correction_of", wait_when_read)

    def confirm() -> str:
        try:
            return correcting_settlement.confirm_correction(code=pool.code, actor="test").state
        except IntegrityError:
            return "stopped by the trigger"

    assert sorted(map(str, race([confirm] * 2))) == ["official", "stopped by the trigger"]


def test_c50_two_workers_get_the_same_message() -> None:
    pool = sealed_pool()
    race([tasks.correct_due_settlements] * 3)
    assert lines_of(pool) == [("correction", 2), ("settlement", 2), ("amendment", 2)]
    assert not JournalRecord.objects.filter(act="correct_settlement_failed").exists()


def test_two_members_entering_at_once_draw_up_one_protocol() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    act = partial(correct_result, code=pool.code, result=make_result(pool, "2"), reason="Misread.", document="Sheet 1")
    race([partial(act, member=member) for member in members_of(pool)[:2]])
    assert list(pool.protocols.order_by("version").values_list("version", flat=True)) == [1, 2]

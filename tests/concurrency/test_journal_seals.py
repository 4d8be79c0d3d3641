"""Sealing against writing: rows that are committed out of order are sealed once, and none is left out (S1)."""

from collections.abc import Callable
from random import Random
from threading import Event, Thread
from time import sleep

import pytest
from django.db import connection, transaction

from tests.concurrency.racing import race
from totalizator.core import clock, journal_seals
from totalizator.core.journal import write_journal
from totalizator.core.journal_checks import check_journal
from totalizator.core.journal_seals import seal_journal
from totalizator.core.models import JournalRecord, JournalSeal, JournalSealer

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS, ACTS = 6, 25
PATIENCE = 30


def write(subject: str) -> None:
    write_journal(at=clock.now(), actor="test", act="try", subject=subject)


def writer(number: int) -> Callable[[], None]:
    """Write acts of random length, every fourth rolled back."""

    def run() -> None:
        chance = Random(number)
        for act in range(ACTS):
            with transaction.atomic():
                write(f"{number}/{act}")
                sleep(chance.random() / 100)
                transaction.set_rollback(act % 4 == 3)

    return run


def sealer(done: Event) -> Callable[[], None]:
    def run() -> None:
        while not done.is_set():
            seal_journal()
            sleep(0.002)

    return run


def sealed_ids() -> list[int]:
    """Every id as often as it is sealed."""
    return sorted(
        number for seal in JournalSeal.objects.all() for part in seal.ids for number in range(part.lower, part.upper)
    )


def write_and_seal() -> list[int]:
    """Let many write while two seal; return the ids of what was written."""
    done = Event()
    sealing = [Thread(target=in_own_connection(sealer(done))) for _ in range(2)]
    for thread in sealing:
        thread.start()
    race([writer(number) for number in range(WRITERS)])
    done.set()
    for thread in sealing:
        thread.join(PATIENCE)
    seal_journal()
    return list(JournalRecord.objects.order_by("pk").values_list("pk", flat=True))


def in_own_connection(act: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    return run


def test_s1_rows_committed_out_of_order_are_sealed_exactly_once() -> None:
    written = write_and_seal()
    assert len(written) == WRITERS * (ACTS - ACTS // 4)
    assert sealed_ids() == written
    assert JournalSeal.objects.count() > 1
    assert check_journal().broken is None


def test_s1_without_looking_for_missing_rows_some_are_never_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: a sealer that only ever looks beyond the last id passes over late rows."""
    nothing = "'{}'::int8multirange"
    forgetful = f"SELECT {nothing}, {nothing} FROM ({journal_seals._MISSING}) AS forgotten"
    monkeypatch.setattr(journal_seals, "_MISSING", forgetful)
    with LateRow() as late:
        write("early")
        seal_journal()
    seal_journal()
    assert set(JournalRecord.objects.values_list("pk", flat=True)) - set(sealed_ids()) == {late.number}
    assert check_journal().broken == f"row {late.number} was added, in no seal"


class LateRow:
    """A row that is written at once, and committed when the block ends."""

    def __init__(self) -> None:
        self._written, self._go = Event(), Event()
        self._thread = Thread(target=in_own_connection(self._write))

    def __enter__(self) -> "LateRow":
        self._thread.start()
        assert self._written.wait(PATIENCE)
        return self

    def _write(self) -> None:
        with transaction.atomic():
            write("late")
            self.number = JournalRecord.objects.get(subject="late").pk
            self._written.set()
            assert self._go.wait(PATIENCE)

    def __exit__(self, *_fault: object) -> None:
        self._go.set()
        self._thread.join(PATIENCE)


def test_s1_a_late_row_is_waited_for_through_many_seals() -> None:
    with LateRow() as late:
        for number in range(5):
            write(str(number))
            assert seal_journal() == 1
        assert late.number not in sealed_ids()
    assert seal_journal() == 1
    assert late.number in sealed_ids()
    assert check_journal().broken is None


def test_s1_a_row_put_where_one_was_rolled_back_is_named() -> None:
    write("first")
    with transaction.atomic():
        write("given up")
        gone = JournalRecord.objects.get(subject="given up").pk
        transaction.set_rollback(True)
    for number in range(4):
        write(str(number))
        seal_journal()
    state = JournalSealer.objects.get()
    assert (list(state.missing), list(state.missing_long)) == ([], [])
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_journalrecord (id, at, actor, act, subject, reason) OVERRIDING SYSTEM VALUE"
            " VALUES (%s, now(), 'x', 'x', 'x', '')",
            [gone],
        )
    assert seal_journal() == 0
    assert check_journal().broken == f"row {gone} was added, in no seal"


def test_s1_a_sealer_that_dies_half_way_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        write(str(number))
    with monkeypatch.context() as patched:
        patched.setattr(journal_seals, "_note_missing", _die)
        with pytest.raises(RuntimeError):
            seal_journal()
    assert (JournalSeal.objects.count(), JournalSealer.objects.count()) == (0, 0)
    assert seal_journal() == 3
    assert check_journal().broken is None


def _die(*_args: object) -> None:
    raise RuntimeError


def test_s1_while_one_seals_another_leaves_it_to_it() -> None:
    write("one")
    inside, go = Event(), Event()
    with pytest.MonkeyPatch.context() as patched:
        read = journal_seals._read_batch

        def slow(*args: object) -> object:
            inside.set()
            assert go.wait(PATIENCE)
            return read(*args)  # type: ignore[arg-type]

        patched.setattr(journal_seals, "_read_batch", slow)
        thread = Thread(target=in_own_connection(seal_journal))
        thread.start()
        assert inside.wait(PATIENCE)
        assert seal_journal() == 0
        go.set()
        thread.join(PATIENCE)
    assert JournalSeal.objects.count() == 1

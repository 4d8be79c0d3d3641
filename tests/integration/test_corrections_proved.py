"""What is published of a correction proves itself to a stranger, and a difference stops it (H5, I9, X6, S3)."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction

from pools import tasks
from pools.models import Correction, Pool, Settlement, SettlementState
from pools.queries.agreement import Standing, agreements
from pools.queries.corrections import being_corrected, in_force, pools_due_to_correct
from pools.services import confirming, correcting_settlement
from pools.services.correcting_settlement import calculate_correction, correct_settlement
from pools.services.settling import settle_pool
from pools.snapshots.bundle import computed_files, write_bundle
from tests.correcting import correct, corrected_winnings, enter_correction, sign_correction
from tests.integration.test_journal_seals import engine, exported
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.errors import EngineError

pytestmark = pytest.mark.django_db

GAMES = {
    "sportloto-variant": ((("1", 100), ("1+X", 200), ("2", 100)), "1", "2"),
    "sportloto-position": ((("1+X;1;1+X", 400), ("1;1;2", 100), ("2;2;2", 100)), "1;1;1", "1;1;2"),
    "totolot-variant": ((("1", 170), ("1+X", 200), ("2", 9_999)), "1", "void"),
    "totolot-position": ((("1+X;1;1+X", 400), ("1;1;2", 177), ("2;2;2", 5_001)), "void;1;1", "2;1;1"),
}


def both_bundles(pool: Pool, folder: Path) -> tuple[Path, Path]:
    """The files of the settlement, and of its correction."""
    write_bundle(pool, folder / "before", Settlement.objects.get(pool=pool))
    write_bundle(pool, folder / "after")
    return folder / "before", folder / "after"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_stranger_verifies_a_correction_of_every_game(game: str, tmp_path: Path) -> None:
    bets, wrong, right = GAMES[game]
    pool = make_pool(game)
    sell(pool, *bets)
    close_by_clock(pool)
    clock.move_clock(timedelta(hours=2))
    start = pool.closes_at + timedelta(hours=1)  # after the bets were fixed, as it should be
    seal(pool, wrong, started_at=start)
    settle_pool(code=pool.code, actor="test")
    pool.refresh_from_db()
    correct(pool, right, started_at=start)
    before, after = both_bundles(pool, tmp_path)
    call_command("export_keys", str(tmp_path / "keys.json"), stdout=StringIO())
    keys = ("--keys", str(tmp_path / "keys.json"))
    assert engine("verify-correction", str(before), str(after), *keys) == (0, "OK\n")
    for folder in (before, after):
        assert engine("verify", str(folder), *keys) == (0, "OK\n")
    call_command("export_log", str(tmp_path / "log"), stdout=StringIO())
    log = str(tmp_path / "log" / "log.jsonl")
    code, said = engine("verify-log", log, *keys, "--bundle", str(before), str(after))
    assert (code, said.startswith("OK\n")) == (0, True), said


def test_the_log_has_to_have_the_correction(tmp_path: Path) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correct(pool, "2")
    _before, after = both_bundles(pool, tmp_path)
    call_command("export_log", str(tmp_path / "log"), stdout=StringIO())
    text = (after / "correction.json").read_text()
    (after / "correction.json").write_text(text.replace('"corrects":1', '"corrects": 1'))
    code, said = engine("verify-log", str(tmp_path / "log" / "log.jsonl"), "--bundle", str(after))
    assert (code, said) == (1, "log.jsonl: has no line for 'after', correction.json\n")


def test_s3_both_settlements_are_made_again_from_the_journal(tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("1;X;2", 100))
    settle(pool, "1;X;2")
    correct(pool, "1;1;1")
    journal = exported(tmp_path)
    for folder in both_bundles(pool, tmp_path):
        code, said = engine("rebuild", str(journal), str(folder))
        assert (code, said.endswith("OK\n")) == (0, True), said


def sealed_pool() -> Pool:
    """A settled pool whose correcting protocol is sealed."""
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    enter_correction(pool, "2")
    sign_correction(pool)
    return pool


def one_kopeck_more(pool: Pool, computed: Correction) -> Iterator[tuple[str, Iterable[bytes]]]:
    """What the database computed, had it computed a winning of 141 in place of 140."""
    for name, parts in computed_files(pool, computed):
        content = b"".join(parts)
        yield name, [content.replace(b",140\n", b",141\n") if name == "winnings.csv" else content]


def another_change(_pool: Pool) -> Iterator[bytes]:
    """What the database would say, had it found nothing changed."""
    yield b"ticket,kind,before,after\n"


@pytest.mark.parametrize(
    ("module", "name", "planted", "place"),
    [
        (confirming, "computed_files", one_kopeck_more, "winnings.csv, line 2: "),
        (correcting_settlement, "changed_csv", another_change, "changed.csv, line 2: "),
    ],
)
def test_a_difference_stops_a_correction_and_nothing_is_changed(
    module: object, name: str, planted: object, place: str
) -> None:
    pool = sealed_pool()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, planted)
        with pytest.raises(DomainError) as caught:
            correct_settlement(code=pool.code, actor="test")
    refusal = caught.value
    assert (refusal.code, refusal.details["difference"].startswith(place)) == (Refusal.SETTLEMENT_DIFFERS, True)
    correction = Correction.objects.get(pool=pool)
    assert (correction.state, correction.difference) == (SettlementState.DISPUTED, refusal.details["difference"])
    assert JournalRecord.objects.get(act="dispute_correction").reason == correction.difference
    assert in_force(pool) == Settlement.objects.get(pool=pool)
    assert (being_corrected(pool), list(pools_due_to_correct())) == (True, [])
    shown = agreements()[0]
    assert (shown.pool, shown.standing, shown.place) == (pool, Standing.DIFFER, place.removesuffix(": "))
    correction = correct_settlement(code=pool.code, actor="test")  # compared anew when asked
    assert (correction.state, correction.difference) == (SettlementState.OFFICIAL, "")
    assert in_force(pool) == correction


def test_a_full_disk_is_no_dispute(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = sealed_pool()

    def find_no_room(_directory: Path) -> None:
        raise EngineError("MISSING_FILE", "tally.json", "a file that can be written (No space left on device)")

    monkeypatch.setattr(confirming, "settle", find_no_room)
    with pytest.raises(EngineError, match="No space left"):
        correct_settlement(code=pool.code, actor="test")
    assert Correction.objects.get(pool=pool).state == SettlementState.CALCULATED
    assert list(pools_due_to_correct()) == [pool]


def test_the_status_tells_of_a_correction_under_way() -> None:
    pool = sealed_pool()
    standings = [agreements()[0].standing]
    calculate_correction(code=pool.code, actor="test")
    standings.append(agreements()[0].standing)
    tasks.correct_due_settlements()
    standings.append(agreements()[0].standing)
    assert standings == [Standing.FIRST, Standing.SECOND, Standing.AGREE]
    assert sum(corrected_winnings(pool).values()) == 140


def test_the_database_keeps_a_correction_as_it_became_official() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correction = correct(pool, "2")
    rows, settled = Correction.objects.filter(pool=pool), Settlement.objects.filter(pool=pool)
    changes = (
        partial(rows.update, statement_text="{}"),
        partial(rows.update, state="calculated"),
        partial(rows.update, applied_at=correction.official_at, correction_text="{}"),
        rows.delete,
        partial(settled.update, version=2),
        partial(pool.corrected_winnings.update, amount=1),
    )
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    rows.update(applied_at=correction.official_at)
    with pytest.raises(DatabaseError, match="only become disputed or"), transaction.atomic():
        rows.update(applied_at=None)

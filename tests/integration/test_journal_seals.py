"""The sealed journal: whatever is done to it behind its back is named (S1)."""

import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from payouts.tasks import reconcile_nightly
from pools.models import LogEntry, LogKind
from pools.services.journal_heads import check_journal_heads
from pools.tasks import publish_journal_head
from tests.making import make_till
from tests.settling import ROOT
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.journal_checks import check_journal
from totalizator.core.journal_seals import newest_seal, seal_journal
from totalizator.core.models import JournalRecord, JournalSeal
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db


def write(count: int) -> list[int]:
    """Write so many rows and return their ids."""
    before = set(JournalRecord.objects.values_list("pk", flat=True))
    for number in range(count):
        write_journal(at=clock.now(), actor="test", act="try", subject=f"thing:{number}", after={"sum": number})
    return sorted(set(JournalRecord.objects.values_list("pk", flat=True)) - before)


def sealed(*batches: int) -> list[int]:
    """Seal what there is, then write and seal batches of so many rows; return the ids of the batches."""
    seal_journal()
    ids = []
    for count in batches:
        ids += write(count)
        assert seal_journal() == count
    return ids


def tamper(sql: str, *values: int | list[int]) -> None:
    """Change rows as their owner, with all guards off."""
    with connection.cursor() as cursor:
        for table in ("core_journalrecord", "core_journalseal"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(sql, list(values))
        assert cursor.rowcount > 0
        for table in ("core_journalrecord", "core_journalseal"):
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def exported(tmp_path: Path) -> Path:
    file = tmp_path / "journal.jsonl"
    call_command("export_journal", str(file), stdout=StringIO())
    return file


def engine(command: str, *arguments: str) -> tuple[int, str]:
    """Run the engine as a stranger does: another process that knows no database."""
    words = [sys.executable, "-m", "totalizator.engine", command, *arguments]
    done = subprocess.run(words, cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_s1_all_rows_are_sealed_once_and_chained() -> None:
    ids = sealed(3, 2)
    newest = newest_seal()
    assert newest is not None
    assert newest.ids == [[ids[3], ids[4]]]
    assert (newest.count, len(newest.marks)) == (2, 16)
    before = JournalSeal.objects.get(number=newest.number - 1)
    assert (newest.previous, before.count) == (before.digest, 3)
    assert seal_journal() == 0
    assert newest_seal() == newest
    checked = check_journal()
    assert (checked.broken, checked.newest) == (None, newest)


CHANGES: dict[str, tuple[str, str]] = {
    "edited": ("UPDATE core_journalrecord SET actor = 'user:9' WHERE id = %s", "row {id} of seal {seal} was changed"),
    "edited inside": (
        """UPDATE core_journalrecord SET after = '{{"sum": 7}}' WHERE id = %s""".replace("{{", "{").replace("}}", "}"),
        "row {id} of seal {seal} was changed",
    ),
    "moved in time": (
        "UPDATE core_journalrecord SET at = at - interval '1 microsecond' WHERE id = %s",
        "row {id} of seal {seal} was changed",
    ),
    "deleted": ("DELETE FROM core_journalrecord WHERE id = %s", "row {id} of seal {seal} was deleted"),
}


@pytest.mark.parametrize("how", CHANGES)
def test_s1_the_first_broken_row_is_named(how: str) -> None:
    ids = sealed(2, 5, 1)
    newest = newest_seal()
    assert newest is not None
    sql, named = CHANGES[how]
    tamper(sql, ids[4])
    tamper(sql, ids[5])
    assert check_journal().broken == named.format(id=ids[4], seal=newest.number - 1)


def test_s1_a_row_with_an_id_that_was_never_given_out_is_named() -> None:
    (last,) = sealed(1)
    _insert(last + 1000)
    assert check_journal().broken == f"row {last + 1000} was added, in no seal"
    assert seal_journal() == 0


def _insert(number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_journalrecord (id, at, actor, act, subject, reason) OVERRIDING SYSTEM VALUE"
            " VALUES (%s, now(), 'x', 'x', 'x', '')",
            [number],
        )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE core_journalseal SET count = count + 1 WHERE number = %s", "seal {0} was changed"),
        ("UPDATE core_journalseal SET at = at + interval '1 second' WHERE number = %s", "seal {0} was changed"),
        ("UPDATE core_journalseal SET digest = 'sha256:0' WHERE number = %s", "seal {0} was changed"),
        ("DELETE FROM core_journalseal WHERE number = %s", "seal {0} is missing"),
    ],
)
def test_s1_a_seal_that_was_changed_or_deleted_is_named(change: str, named: str) -> None:
    sealed(2, 2, 2)
    newest = newest_seal()
    assert newest is not None
    tamper(change, newest.number - 1)
    assert check_journal().broken == named.format(newest.number - 1)


def test_s1_rows_cut_off_with_their_seal_are_named_and_a_rewritten_chain_by_who_knows_a_seal() -> None:
    ids = sealed(2, 2)
    newest = newest_seal()
    assert newest is not None
    with transaction.atomic():
        tamper("DELETE FROM core_journalseal WHERE number = %s", newest.number)
        tamper("DELETE FROM core_journalrecord WHERE id = ANY(%s)", ids[2:])
        assert check_journal().broken == f"seal {newest.number} is missing"
        transaction.set_rollback(True)
    with transaction.atomic():  # everything anew, as if it had never been otherwise
        tamper("DELETE FROM core_journalseal")
        tamper("UPDATE core_journalsealer SET last = 0")
        tamper("UPDATE core_journalrecord SET actor = 'user:9' WHERE id = %s", ids[0])
        while seal_journal():
            pass
        first = JournalSeal.objects.get(number=1)
        assert check_journal().broken is None
        assert check_journal((1, "sha256:known")).broken == "seal 1 is not the one that is known"
        assert check_journal((first.number, first.digest)).broken is None
        assert check_journal((newest.number, newest.digest)).broken is not None
        transaction.set_rollback(True)


def test_s1_seals_are_append_only_and_no_row_is_in_two() -> None:
    ids = sealed(2)
    for change in ("UPDATE core_journalseal SET count = 0", "DELETE FROM core_journalseal"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    with pytest.raises(IntegrityError, match="core_journal_sealed_once"), transaction.atomic():
        connection.cursor().execute(
            "INSERT INTO core_journalseal (number, at, ids, count, rows, marks, digest)"
            " VALUES (1000, now(), int8multirange(int8range(%s, %s)), 1, 'x', '', 'x')",
            [ids[1], ids[1] + 1],
        )


def test_s1_the_command_says_ok_with_the_newest_seal_or_names_the_broken_row() -> None:
    ids = sealed(1, 1)
    newest = newest_seal()
    assert newest is not None
    said = StringIO()
    call_command("check_journal", stdout=said)
    assert said.getvalue() == f"OK: {newest.number}:{newest.digest}\n"
    tamper("DELETE FROM core_journalrecord WHERE id = %s", ids[0])
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_journal", "--known", f"{newest.number}:{newest.digest}", stdout=said)
    assert (ended.value.code, said.getvalue()) == (1, f"BROKEN: row {ids[0]} of seal {newest.number - 1} was deleted\n")


FLIPS: dict[str, Callable[[str], str]] = {
    "was changed": lambda line: line.replace('"act":"try"', '"act":"tri"'),
    "was deleted": lambda _line: "",
}


@pytest.mark.parametrize("named", FLIPS)
def test_s1_a_copy_is_checked_by_bare_python(tmp_path: Path, named: str) -> None:
    ids = sealed(3)
    newest = newest_seal()
    assert newest is not None
    file = exported(tmp_path)
    assert engine("verify-journal", str(file)) == (0, f"OK: {newest.number}:{newest.digest}\n")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert f'"id":{ids[1]},' in lines[-3]
    lines[-3] = FLIPS[named](lines[-3])
    file.write_text("".join(lines), encoding="utf-8")
    assert engine("verify-journal", str(file)) == (1, f"row {ids[1]} of seal {newest.number} {named}\n")
    file.write_text("".join(lines[:-1]), encoding="utf-8")
    code, said = engine("verify-journal", str(file))
    assert (code, "a seal after its last rows" in said) == (2, True)


def test_s1_the_nightly_job_checks_the_journal() -> None:
    reconcile_nightly()
    ids = sealed(2)
    tamper("DELETE FROM core_journalrecord WHERE id = %s", ids[0])
    reconcile_nightly()
    records = JournalRecord.objects.filter(act="check_journal").order_by("pk")
    assert [(record.after or {})["broken"] is None for record in records] == [True, False]
    assert (records[1].after or {})["broken"].startswith(f"row {ids[0]} of seal ")


def test_s2_a_gap_in_numbers_is_named() -> None:
    till, other = make_till(), make_till()
    said = StringIO()
    call_command("check_gaps", stdout=said)
    assert said.getvalue() == "OK: no gaps.\n"
    connection.cursor().execute("UPDATE accounts_shift SET number = 3 WHERE till_id = %s", [other.pk])
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_gaps", stdout=said)
    assert said.getvalue() == f"shifts of till {other.pk}: 1 of 3\n"
    assert till.pk != other.pk


def test_s1_the_newest_seal_stands_in_the_public_log_and_contradicts_who_rewrites_the_journal() -> None:
    ids = sealed(2)
    seal = newest_seal()
    assert seal is not None
    publish_journal_head()
    entry = LogEntry.objects.get(kind=LogKind.JOURNAL)
    assert (entry.subject, entry.digest) == (f"journal:{seal.number}", digest(seal.line()))
    publish_journal_head()
    assert LogEntry.objects.filter(kind=LogKind.JOURNAL).count() == 1
    assert check_journal_heads(actor="test") == []
    tamper("DELETE FROM core_journalseal")
    tamper("UPDATE core_journalsealer SET last = 0")
    tamper("UPDATE core_journalrecord SET actor = 'user:9' WHERE id = %s", ids[0])
    while seal_journal():
        pass
    assert check_journal().broken is None
    assert check_journal_heads(actor="test") == [f"journal:{seal.number}"]


def test_s1_a_copy_that_was_cut_off_is_found_by_a_seal_known_from_elsewhere(tmp_path: Path) -> None:
    sealed(2)
    first = newest_seal()
    whole = exported(tmp_path).read_bytes()
    sealed(2)
    newest = newest_seal()
    assert first is not None
    assert newest is not None
    file = exported(tmp_path)
    known = f"{newest.number}:{newest.digest}"
    assert engine("verify-journal", str(file), "--known", known) == (0, f"OK: {known}\n")
    file.write_bytes(whole)
    assert engine("verify-journal", str(file)) == (0, f"OK: {first.number}:{first.digest}\n")
    said = (1, f"seal {first.number + 1} is missing\n")
    assert engine("verify-journal", str(file), "--known", known) == said
    said = (1, f"seal {first.number} is not the one that is known\n")
    assert engine("verify-journal", str(file), "--known", f"{first.number}:{newest.digest}") == said
    file.write_bytes(b"")
    assert engine("verify-journal", str(file)) == (1, "there is no seal\n")
    assert engine("verify-journal", str(file), "--known", "seventeen")[0] == 2

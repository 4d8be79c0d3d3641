"""Any settled pool is settled again from the journal and its bundle alone (S3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pools.models import Pool, Settlement
from pools.snapshots.bundle import write_bundle
from tests.integration.test_journal_seals import engine, exported
from tests.making import bet_from_account, make_player, make_pool
from tests.settling import sell, settle
from totalizator.core.models import JournalRecord
from totalizator.core.releases import running_release
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db


def settled(tmp_path: Path) -> tuple[Pool, Path, Path]:
    """A settled pool beside others in the journal: the pool, the exported journal, the bundle."""
    pool, other = make_pool(), make_pool()
    bet_from_account(pool, make_player(200), "1;X;1+2", 200)
    sell(pool, ("1;1;1", 100), ("1;X;2", 100))
    sell(other, ("1;1;1", 100))
    settle(pool, "1;X;2")
    bundle = tmp_path / "bundle"
    write_bundle(pool, bundle)
    return pool, exported(tmp_path), bundle


def test_s3_the_journal_and_the_bundle_give_the_published_digests(tmp_path: Path) -> None:
    pool, journal, bundle = settled(tmp_path)
    settlement = Settlement.objects.get(pool=pool)
    statement = digest(settlement.statement_text.encode())
    winnings = digest((bundle / "winnings.csv").read_bytes())
    tally = digest(settlement.tally_text.encode())
    for made in ("tally.json", "statement.json", "winnings.csv", "manifest.json", "state.json", "commitment.json"):
        (bundle / made).unlink()  # what the journal must be enough for
    assert engine("rebuild", str(journal), str(bundle)) == (
        0,
        f"tally.json {tally}\nstatement.json {statement}\nwinnings.csv {winnings}\nOK\n",
    )


def test_r2_a_settlement_says_under_which_release_it_was_made(tmp_path: Path) -> None:
    pool, _journal, _bundle = settled(tmp_path)
    release = running_release().digest
    assert Settlement.objects.get(pool=pool).release == release
    record = JournalRecord.objects.get(act="settle_pool", subject=f"pool:{pool.code}")
    assert (record.after or {})["release"] == release


def _in_bets(old: str, new: str) -> Callable[[Path, Path], None]:
    def change(_journal: Path, bundle: Path) -> None:
        file = bundle / "bets.csv"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _in_result(_journal: Path, bundle: Path) -> None:
    file = bundle / "result.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["conditions"]["1"] = ["2"]
    file.write_text(json.dumps(document), encoding="utf-8")


def _in_terms(_journal: Path, bundle: Path) -> None:
    file = bundle / "terms.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"3/5"', '"4/5"').replace('"2/5"', '"1/5"'))


def _in_journal(journal: Path, _bundle: Path) -> None:
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text.replace('"stake":100', '"stake":101', 1), encoding="utf-8")


TAMPERED: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "bets": (_in_bets(",100,", ",200,"), "bets.csv: sha256:"),
    "result": (_in_result, "result.json: sha256:"),
    "terms": (_in_terms, "terms.json: sha256:"),
    "journal": (_in_journal, "journal: row "),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_s3_whatever_was_changed_is_named(tmp_path: Path, what: str) -> None:
    _pool, journal, bundle = settled(tmp_path)
    change, named = TAMPERED[what]
    change(journal, bundle)
    code, said = engine("rebuild", str(journal), str(bundle))
    assert (code, said.startswith(named)) == (1, True), said

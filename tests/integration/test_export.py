"""The public bundle: complete, verifiable by anybody, silent about who bet (X1, X3)."""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pools.models import CommissionKey, Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.drafting import draft_pool
from pools.snapshots.bundle import write_bundle
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle, verify

pytestmark = pytest.mark.django_db

BEFORE_SETTLEMENT = {"terms.json", "commitment.json", "result.json"}
ALL = BEFORE_SETTLEMENT | {"bets.csv", "state.json", "tally.json", "statement.json", "winnings.csv", "manifest.json"}


def export(pool: Pool, directory: Path) -> set[str]:
    """Run the command and return the names of the files that are there."""
    call_command("export_pool", pool.code, str(directory), stdout=StringIO())
    return {path.name for path in directory.iterdir()}


def export_keys(folder: Path) -> Path:
    file = folder / "keys.json"
    call_command("export_keys", str(file), stdout=StringIO())
    return file


BETS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "sportloto-variant": (("1", 100), ("1+X", 200), ("2", 100)),
    "sportloto-position": (("1+X;1;1+X", 400), ("1;1;2", 100), ("2;2;2", 100)),
    "totolot-variant": (("1", 170), ("1+X", 200), ("2", 9_999)),
    "totolot-position": (("1+X;1;1+X", 400), ("1;1;2", 177), ("2;2;2", 5_001)),
}


@pytest.mark.parametrize("game", sorted(BETS))
def test_the_public_verifier_says_ok_on_an_exported_pool(game: str, tmp_path: Path) -> None:
    pool = make_pool(game)
    sell(pool, *BETS[game])
    settle(pool, ";".join("1" for _ in pool.terms.conditions))
    assert export(pool, tmp_path / "pool") == ALL
    verdict = verify(tmp_path / "pool", export_keys(tmp_path))
    assert (verdict.stdout, verdict.stderr, verdict.returncode) == ("OK\n", "", 0)


@pytest.mark.parametrize("right", ["1;void;1", "1+X;1;2"])
def test_the_public_verifier_says_ok_on_returned_pools_and_dead_heats(right: str, tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, *BETS["sportloto-position"])
    settle(pool, right)
    export(pool, tmp_path / "pool")
    assert verify(tmp_path / "pool", export_keys(tmp_path)).stdout == "OK\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("winnings.csv", ",140\n", ",141\n", "winnings.csv, line 2: "),
        (
            "statement.json",
            '"winnings":280',
            '"winnings":281',
            "statement.json, winnings: 281 in the bundle, ",
        ),
        ("bets.csv", ";1;2,100", ";1;1,100", "commitment.json, bets: "),
        ("result.json", '"3":["1"]', '"3":["X"]', "tally.json, levels.all.lines: 0 in the bundle, 1 computed"),
    ],
)
def test_the_public_verifier_names_what_was_changed(file: str, old: str, new: str, named: str, tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, ("1;1;2", 100), ("1;1;X", 100), ("1;2;2", 100), *[("2;2;2", 100)] * 7)
    settle(pool, "1;1;1")
    export(pool, tmp_path)
    keys = export_keys(tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1))
    verdict = verify(tmp_path, keys)
    assert verdict.returncode == 1
    assert verdict.stdout.startswith(named)


def test_the_public_verifier_names_a_file_cut_off_in_a_line(tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, *BETS["sportloto-position"])
    settle(pool, "1;1;1")
    export(pool, tmp_path)
    winnings = tmp_path / "winnings.csv"
    lines = winnings.read_bytes().count(b"\n")
    winnings.write_bytes(winnings.read_bytes().removesuffix(b"\n"))
    verdict = verify(tmp_path, export_keys(tmp_path))
    assert verdict.stdout == f"winnings.csv, line {lines}: the file ends before the line does\n"
    assert (verdict.returncode, verdict.stderr) == (1, "")


def test_a_bundle_exported_again_has_the_same_bytes(tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, *BETS["sportloto-position"])
    settle(pool, "1;1;1")
    first, again = tmp_path / "first", tmp_path / "again"
    assert export(pool, first) == export(pool, again) == ALL
    assert all((first / name).read_bytes() == (again / name).read_bytes() for name in ALL)
    assert export(pool, first) == ALL


def test_a_bundle_says_nothing_about_who_bet_where(tmp_path: Path) -> None:
    pool, player = make_pool(), make_player(100)
    bet_from_account(pool, player, "1;1;1", 100)
    sell(pool, ("1;X;1", 100))
    cash = pool.bets.get(channel="cash")
    assert cash.till is not None
    assert cash.sold_by is not None
    settle(pool, "1;1;1")
    names = write_bundle(pool, tmp_path)
    content = b"".join((tmp_path / name).read_bytes() for name in names).decode()
    assert cash.ticket in content
    hidden = [
        player.username,
        player.email,
        cash.sold_by.username,
        cash.till.point.code,
        str(account_of(player).ledger_account),
        str(cash.till.ledger_account),
        bytes(cash.check_hash).hex(),
    ]
    assert [secret for secret in hidden if secret in content] == []
    header = (tmp_path / "bets.csv").read_text().splitlines()[0]
    assert header == "ticket,selections,stake,lines,registered_at,salt"


def test_each_file_becomes_public_in_its_time(tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, ("1;1;1", 100))
    assert export(pool, tmp_path) == {"terms.json"}
    close_by_clock(pool)
    assert export(pool, tmp_path) == {"terms.json", "commitment.json"}
    seal(pool, "1;1;1")
    assert export(pool, tmp_path) == BEFORE_SETTLEMENT
    assert (tmp_path / "terms.json").read_text() == pool.terms_text


def test_files_of_another_bundle_do_not_stay_in_the_folder(tmp_path: Path) -> None:
    settled = make_pool()
    sell(settled, ("1;1;1", 100))
    settle(settled, "1;1;1")
    export(settled, tmp_path)
    assert export(make_pool(), tmp_path) == {"terms.json"}


def test_a_cancelled_pool_publishes_its_terms_and_commitment(tmp_path: Path) -> None:
    pool, (one, other) = make_pool(), make_organizers()
    sell(pool, ("1;1;1", 100))
    close_by_clock(pool)
    propose_cancellation(code=pool.code, reason="no event", document="letter 1", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert export(pool, tmp_path) == {"terms.json", "commitment.json"}


def test_a_pool_that_is_unknown_or_a_draft_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not_found"):
        call_command("export_pool", "no-such", str(tmp_path / "pool"))
    announced = make_pool()
    document = json.loads(announced.terms_text)
    document["pool"]["code"] = "D-1"
    draft_pool(document=document, prepared_by=announced.prepared_by)
    with pytest.raises(CommandError, match="draft"):
        call_command("export_pool", "D-1", str(tmp_path / "pool"))
    assert not (tmp_path / "pool").exists()


def test_the_keys_are_the_operators_and_every_member_s(tmp_path: Path) -> None:
    pool = make_pool()
    keys: dict[str, Any] = json.loads(export_keys(tmp_path).read_bytes())
    members = set(CommissionKey.objects.values_list("key_id", flat=True))
    assert pool.terms.quorum is not None
    assert set(pool.terms.quorum.members) <= members
    assert members < set(keys)
    (operator,) = set(keys) - members
    assert operator.startswith("operator-")
    assert {name: key["role"] for name, key in keys.items()} == {
        operator: "operator",
        **dict.fromkeys(members, "commission"),
    }
    assert all(set(key) == {"algorithm", "public", "role"} for key in keys.values())

"""The benchmark runs, compares like with like, and leaves no database behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

OWNER_URL = os.environ["DATABASE_URL"]  # tests.settings puts the owner's there


def run_bench(*arguments: str, database_url: str = OWNER_URL) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database_url, "DATABASE_OWNER_URL": database_url},
        capture_output=True,
        text=True,
        check=False,
    )


def databases() -> set[str]:
    with psycopg.connect(OWNER_URL) as server:
        return {name for (name,) in server.execute("SELECT datname FROM pg_database").fetchall()}


def kept_figures(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("bench-*.json")
    figures: dict[str, Any] = json.loads(path.read_text())
    return figures


def test_a_quick_benchmark_measures_all_and_drops_its_database(tmp_path: Path) -> None:
    done = run_bench("--quick", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert not {name for name in databases() if name.startswith("totalizator_bench_")}
    figures = kept_figures(tmp_path)
    one, two = figures["accepting"]
    assert (one["clients"], two["clients"]) == (1, 2)
    assert one["ratio"] > 0
    assert one["place_bet_per_second"] > 0
    assert 0 < one["python_ms"] < one["p99_ms"]
    web = figures["web"]
    assert web["bets_per_second"] > 0
    assert web["batched_bets_per_second"] > web["bets_per_second"]
    settling = figures["settling"]
    assert settling["bets"] == 3000
    assert settling["winnings"] >= settling["payments"] > 0
    assert 0 < settling["engine_settle_peak_mb"] < 300
    assert settling["closing_to_hashing"] > 0
    assert settling["verify_to_bare_reading"] > 0
    paying = figures["paying"]
    assert paying["winnings"] >= paying["payments"] > 2_500
    assert paying["payments_per_second"] > 0
    assert paying["program_us_a_payment"] > 0
    assert figures["beside"]["settlements_meanwhile"] > 0
    pages = {(page["who"], page["address"]): page for page in figures["pages"]["pages"]}
    assert figures["pages"]["pools"] == 8
    assert {"anybody", "cashier", "commission", "organizer", "player"} <= {who for who, _address in pages}
    assert all(0 < page["median_ms"] <= page["p95_ms"] and page["queries"] >= 0 for page in pages.values())
    assert "Accepting bets" in done.stdout
    assert "Closing, settling, proving and paying a pool" in done.stdout


@pytest.mark.parametrize("url", ["", "postgresql://nobody@127.0.0.1:1/none"])
def test_without_a_database_it_says_so_in_one_sentence(url: str, tmp_path: Path) -> None:
    done = run_bench("--quick", "--out", str(tmp_path), database_url=url)
    assert done.returncode == 1
    assert done.stderr.startswith("bench: ")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("ours", "bare"),
    [
        ({"pools_bet": 10, "accounts_entry": 10}, {"pools_bet": 10}),
        ({"pools_bet": 10}, {"pools_bet": 20}),
        ({}, {}),
    ],
)
def test_it_refuses_to_compare_what_writes_other_rows(ours: dict[str, int], bare: dict[str, int]) -> None:
    from bench.accepting import refuse_unlike

    refuse_unlike({"pools_bet": 10}, {"pools_bet": 10})
    with pytest.raises(RuntimeError, match="by pgbench"):
        refuse_unlike(ours, bare)

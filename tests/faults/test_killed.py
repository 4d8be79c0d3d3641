"""`kill -9` of the web, the database and the worker in the middle of selling and of settling.

After each: nothing lost, nothing doubled, nothing stuck, the books in order, the bundle proved.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.running import RunningSystem
from tests.faults.selling import StubbornPlayer
from tests.functional.test_local_stack import NOT_COPIED, ROOT, assert_done, free_port, processes_of, stack

PLAYERS, BETS = 6, 60

pytestmark = pytest.mark.xdist_group("local_stack")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    copy = tmp_path_factory.mktemp("faults") / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    running = RunningSystem(copy, free_port())
    running.start()
    yield running
    assert_done(stack(copy, "stop"))
    assert processes_of(copy) == []


def books_are_in_order(system: RunningSystem) -> None:
    done = system.manage("reconcile_ledger")
    assert done.returncode == 0, done.stdout + done.stderr


def test_killed_while_selling(system: RunningSystem) -> None:
    scene = system.act("prepare", PLAYERS, BETS * 100 + 50)
    players = [
        StubbornPlayer(system.port, scene["pool"], person["session"], person["name"]) for person in scene["players"]
    ]
    until = time.monotonic() + 120

    def play(player: StubbornPlayer) -> None:
        for number in range(BETS):
            player.bet(f"{player.name}-{number}", until=until)

    with ThreadPoolExecutor(PLAYERS) as threads:
        playing = [threads.submit(play, player) for player in players]
        for victim in ("web", "database"):
            before = sum(len(player.tickets) for player in players)
            system.wait(lambda: sum(len(player.tickets) for player in players) >= before + 20)  # noqa: B023
            assert not all(future.done() for future in playing), "all was sold before anything was killed"
            system.kill(victim)
            time.sleep(0.5)
            system.start()
        for future in playing:
            future.result()

    for player in players:  # asked again after all, each key still gives its first ticket
        for key in list(player.tickets)[:5]:
            player.bet(key, until=time.monotonic() + 20)
            assert len(set(player.tickets[key])) == 1
    told = sorted({ticket for player in players for answers in player.tickets.values() for ticket in answers})
    stands = system.act("sold", scene["pool"])
    assert stands["tickets"] == told
    assert (stands["count"], stands["stakes"], stands["pot"]) == (
        PLAYERS * BETS,
        PLAYERS * BETS * 100,
        PLAYERS * BETS * 100,
    )
    assert stands["balances"] == {player.name: 50 for player in players}
    assert [player.unclear for player in players] == [[]] * PLAYERS
    books_are_in_order(system)


def test_killed_while_settling_and_paying(system: RunningSystem, tmp_path: Path) -> None:
    winners = 40
    system.kill("worker")
    code = system.act("resulted", 20_000, winners)["pool"]
    system.start()
    # The first moment that anything of the settlement can be seen: its rows are there, nothing is official.
    system.wait(lambda: system.act("settled", code)["settlement"] is not None)
    system.kill("worker")
    system.start()
    system.kill("database")
    system.start()
    system.wait(lambda: system.act("settled", code)["pool"] == "settled")
    system.wait(lambda: system.act("settled", code)["payables"] >= winners)
    system.act("next_day")
    system.wait(lambda: system.act("settled", code)["paid"] > 0)
    system.kill("worker")
    system.start()
    system.wait(lambda: system.act("settled", code)["paid"] >= winners)

    end = system.act("settled", code)
    assert (end["settlement"], end["paid"], end["pot"]) == ("official", winners, 0)
    books_are_in_order(system)
    assert_done(system.manage("export_pool", code, str(tmp_path / "bundle")))
    assert_done(system.manage("export_keys", str(tmp_path / "keys.json")))
    verdict = subprocess.run(
        [sys.executable, "-m", "totalizator.engine", "verify", "bundle", "--keys", "keys.json"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (verdict.returncode, verdict.stdout.split()[0]) == (0, "OK"), verdict.stdout + verdict.stderr
    winnings = json.loads((tmp_path / "bundle" / "statement.json").read_text())["winnings"]
    rows = (tmp_path / "bundle" / "winnings.csv").read_text().splitlines()[1:]
    assert sum(int(row.rpartition(",")[2]) for row in rows) == winnings

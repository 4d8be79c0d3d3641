"""`kill -9` of the web, the database and the worker in the middle of selling and of settling.

After each: nothing lost, nothing doubled, nothing stuck, the books in order, the bundle proved.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.faults.day import play_day
from tests.faults.kinds import KINDS
from tests.faults.plan import Injected
from tests.faults.proving import verdict_on
from tests.faults.selling import StubbornPlayer
from tests.faults.stack import assert_done, processes_of, stack
from tests.faults.system import DATABASE, System

PLAYERS, BETS = 6, 60

pytestmark = pytest.mark.xdist_group("local_stack")


@pytest.fixture(scope="module")
def system(checkout: Path) -> Iterator[System]:
    assert_done(stack(checkout, "up"))
    running = System(checkout, checkout)
    running.start()
    yield running
    running.stop()
    assert processes_of(checkout) == []


def test_killed_while_selling(system: System) -> None:
    scene = system.witness.act("prepare", players=PLAYERS, balance_each=BETS * 100 + 50)
    players = [
        StubbornPlayer(system.web_line.port, scene["pool"], person["session"], person["name"], system.log_in)
        for person in scene["players"]
    ]
    until = time.monotonic() + 120

    def play(player: StubbornPlayer) -> None:
        for number in range(BETS):
            player.bet(f"{player.name}-{number}", until=until)

    with ThreadPoolExecutor(PLAYERS) as threads:
        playing = [threads.submit(play, player) for player in players]
        for victim in ("web", DATABASE):
            before = sum(len(player.tickets) for player in players)
            system.until(lambda: sum(len(player.tickets) for player in players) >= before + 20, "selling")  # noqa: B023
            assert not all(future.done() for future in playing), "all was sold before anything was killed"
            system.kill(victim)
        for future in playing:
            future.result()

    for player in players:  # asked again after all, each key still gives its first ticket
        for key in list(player.tickets)[:5]:
            player.bet(key, until=time.monotonic() + 20)
            assert len(set(player.tickets[key])) == 1
    told = sorted({ticket for player in players for answers in player.tickets.values() for ticket in answers})
    stands = system.witness.act("sold", code=scene["pool"])
    assert stands["tickets"] == told
    assert (stands["count"], stands["stakes"], stands["pot"]) == (
        PLAYERS * BETS,
        PLAYERS * BETS * 100,
        PLAYERS * BETS * 100,
    )
    assert stands["balances"] == {player.name: 50 for player in players}
    assert [player.answers.unclear for player in players] == [[]] * PLAYERS


def test_killed_while_settling_and_paying(system: System, tmp_path: Path) -> None:
    winners = 40
    system.take_down("worker")
    code = system.witness.act("resulted", bets=20_000, winners=winners)["pool"]
    system.let_up("worker")
    # The first moment that anything of the settlement can be seen: its rows are there, nothing is official.
    system.until(lambda: look(system, code)["settlement"] is not None, "settling")
    system.kill("worker")
    system.kill(DATABASE)
    system.until(lambda: bool(look(system, code)["pool"] == "settled"), "settled")
    system.until(lambda: bool(look(system, code)["payables"] >= winners), "booked")
    system.until(lambda: bool(look(system, code, pay=True)["paid"] > 0), "paying")
    system.kill("worker")
    system.until(lambda: bool(look(system, code)["paid"] >= winners), "paid")

    end = look(system, code)
    assert (end["settlement"], end["paid"], end["pot"]) == ("official", winners, 0)
    assert system.witness.act("proved", code=code, folder=str(tmp_path))["broken"] == []
    assert verdict_on(tmp_path) == []


def test_a_day_on_which_all_goes_wrong(system: System, tmp_path: Path) -> None:
    plan = [
        Injected("cut_web_line", "selling", 0.1),  # the bets of a day are sold in a second
        Injected("cut_database_line", "selling", 0.3),
        Injected("kill_backend", "selling", 0.6),
        Injected("lose_broker", "closing", 0),
        Injected("kill_one_of_worker", "deciding", 0),
        Injected("double_tasks", "settling", 0),
        Injected("end_sessions", "settling", 0.3),
        Injected("shuffle_tasks", "paying", 0),
        Injected("jump_clock", "paying", 0.2),
    ]
    day = play_day(system, KINDS, plan, seed=1)
    assert day.wrong == []
    assert day.answers["no answer"] > 0, "nothing was cut"

    # The control: were a single kopeck too many, it would be seen.
    with system.superuser() as connection:
        connection.execute("SET session_replication_role = replica")
        (account,) = connection.execute("SELECT min(id) FROM accounts_ledgeraccount WHERE debits > 0").fetchone() or (
            0,
        )
        connection.execute("UPDATE accounts_ledgeraccount SET debits = debits + 1 WHERE id = %s", [account])
        assert system.witness.act("proved", code=day.pool, folder=str(tmp_path))["broken"] != []
        connection.execute("UPDATE accounts_ledgeraccount SET debits = debits - 1 WHERE id = %s", [account])
        assert system.witness.act("proved", code=day.pool, folder=str(tmp_path))["broken"] == []


def look(system: System, code: str, *, pay: bool = False) -> dict[str, Any]:
    return system.witness.act("settled", code=code, pay=pay)

"""A pool's whole day, with faults in it: sold, closed, decided, settled, paid; then everything is looked at."""

import random
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.kinds import Fault
from tests.faults.plan import Injected
from tests.faults.proving import verdict_on
from tests.faults.selling import StubbornPlayer, Visitor
from tests.faults.system import AWAY, System

PLAYERS, BETS = 4, 12
LEFT = 50
PICKS = ("1;X;2", "1;X;2", "1;1;1", "2;X;2")
STAKE = 100
RIGHT = "1;X;2"
SECONDS_TO_SELL = 120
OLD_SECONDS = 10


@dataclass
class Day:
    """What came of one run; nothing is wrong when `wrong` is empty."""

    seed: int
    plan: Sequence[Injected]
    pool: str = ""
    seconds: float = 0
    bets: int = 0
    replayed: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    failures: Sequence[Sequence[str]] = ()
    """Failures that jobs have reported and then made good."""
    wrong: list[str] = field(default_factory=list)


def play_day(system: System, kinds: Mapping[str, Fault], plan: Sequence[Injected], seed: int) -> Day:
    """Play one day by the plan; whatever is wrong is noted, the first thing that stays stuck ends the day."""
    day, began = Day(seed, plan), time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="totalizator-faults-"))
    try:
        _Play(system, kinds, day, random.Random(seed)).play(folder)
    except AssertionError as fault:
        day.wrong.append(str(fault))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    day.seconds = round(time.monotonic() - began, 1)
    return day


class _Play:
    def __init__(self, system: System, kinds: Mapping[str, Fault], day: Day, chance: random.Random) -> None:
        self.system, self.kinds, self.day, self.chance = system, kinds, day, chance
        self.injecting: list[threading.Thread] = []

    def play(self, folder: Path) -> None:
        """Go through the stages."""
        scene = self.system.witness.act("prepare", players=PLAYERS, balance_each=BETS * STAKE + LEFT)
        code = self.day.pool = scene["pool"]
        visitor = Visitor(self.system.web_line.port, code)
        looking = threading.Thread(target=visitor.look_around, args=(random.Random(self.day.seed),))
        looking.start()
        try:
            self._begin("selling")
            self._sell(code, scene["players"])
            self._begin("closing")
            self._until("closed", lambda: self._look("closed")["sealed"])
            self._begin("deciding")
            self._until("decided", lambda: self._look("decided", right=RIGHT)["signatures"] >= 2)
            self._begin("settling")
            self._until("settled", lambda: self._look("settled")["pool"] == "settled")
            self._begin("paying")
            self._until("paid", self._is_paid)
            for thread in self.injecting:
                thread.join(60)
            self.system.until(self.system.answers, "the site does not come back")
        finally:
            visitor.is_over = True
            for thread in (looking, *self.injecting):
                thread.join(60)
            self.day.answers.update(visitor.answers.counted)
            self._wrong(*visitor.answers.unclear)
        self._look_at_all(folder)

    def _sell(self, code: str, people: Sequence[Mapping[str, str]]) -> None:
        port = self.system.web_line.port
        players = [
            StubbornPlayer(port, code, person["session"], person["name"], self.system.log_in) for person in people
        ]
        seeds = [self.chance.random() for _ in players]
        with ThreadPoolExecutor(len(players)) as threads:
            list(threads.map(_play_all, players, seeds))
        for player in players:
            self.day.answers.update(player.answers.counted)
            self.day.replayed += player.replayed
            self._wrong(*player.answers.unclear)
            self._wrong(*(f"two tickets for {k}: {t}" for k, t in player.tickets.items() if len(set(t)) != 1))
        told = sorted({ticket for player in players for answers in player.tickets.values() for ticket in answers})
        stands = self._look("sold")
        self.day.bets = stands["count"]
        self._same("tickets", stands["tickets"], told)
        self._same("bets", stands["count"], PLAYERS * BETS)
        self._same("stakes", (stands["stakes"], stands["pot"]), (PLAYERS * BETS * STAKE,) * 2)
        self._same("balances", stands["balances"], {player.name: LEFT for player in players})

    def _look_at_all(self, folder: Path) -> None:
        end = self._look("settled")
        self._same("settlement", (end["settlement"], end["pot"]), ("official", 0))
        self._same("paid", end["paid"], end["winnings"])
        proofs = self._look("proved", folder=str(folder))
        self._wrong(*proofs["broken"], *verdict_on(folder))
        self.day.failures = proofs["failures"]
        bets = (folder / "bundle" / "bets.csv").read_text().splitlines()[1:]
        self._same("bets in the bundle", len(bets), PLAYERS * BETS)
        self._wrong(*stuck(self.system))

    def _is_paid(self) -> bool:
        now = self._look("settled", pay=True)
        return bool(now["payables"] == now["winnings"] == now["paid"])

    def _look(self, act: str, **words: Any) -> dict[str, Any]:
        return self.system.witness.act(act, code=self.day.pool, **words)

    def _until(self, what: str, condition: Any) -> None:
        self.system.until(lambda: bool(condition()), f"{self.day.pool} is not {what}")

    def _begin(self, stage: str) -> None:
        """Let the faults of this stage come by themselves."""
        for injected in self.day.plan:
            if injected.stage == stage:
                chance = random.Random(self.chance.random())
                thread = threading.Thread(target=self._inject, args=(injected, chance))
                thread.start()
                self.injecting.append(thread)

    def _inject(self, injected: Injected, chance: random.Random) -> None:
        time.sleep(injected.after)
        for _ in range(100):  # what is needed to do it may be away by another fault
            try:
                self.kinds[injected.kind](self.system, chance)
            except AWAY:
                time.sleep(0.3)
            else:
                return
        self._wrong(f"{injected} could not be done")

    def _same(self, what: str, found: object, expected: object) -> None:
        if found != expected:
            self._wrong(f"{what}: {found}, not {expected}")

    def _wrong(self, *sentences: str) -> None:
        self.day.wrong.extend(sentences)


def stuck(system: System) -> list[str]:
    """Return what hangs in the database or in the queue: old transactions, tasks that are given out again and again."""
    old = system.sql(
        "SELECT pid, state, left(query, 200) FROM pg_stat_activity WHERE usename = 'totalizator_app'"
        " AND xact_start < clock_timestamp() - make_interval(secs => %s)",
        OLD_SECONDS,
    )
    again = system.sql("SELECT msg_id, message->'headers'->>'task' FROM pgmq.q_totalizator WHERE read_ct > 20")
    return [f"stuck: transaction {row}" for row in old] + [f"stuck: task {row}" for row in again]


def _play_all(player: StubbornPlayer, seed: float) -> None:
    """Bet after bet; now and then a ticket that was given is asked for again."""
    chance, until = random.Random(seed), time.monotonic() + SECONDS_TO_SELL
    for number in range(BETS):
        key, pick = f"{player.name}-{number}", chance.choice(PICKS)
        player.bet(key, until=until, selections=pick)
        if chance.random() < 0.2:
            player.bet(key, until=until, selections=pick)
        time.sleep(chance.uniform(0.05, 0.4))

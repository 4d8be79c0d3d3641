"""Selling over HTTP until told to stop, by players who ask again with the same key whatever happens."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event

from tests.faults.selling import StubbornPlayer

LONGEST_PAUSE = 120


@dataclass
class Selling:
    """What is being sold by a few players at once."""

    players: Sequence[StubbornPlayer]
    acknowledged: list[float] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def play(self, player: StubbornPlayer) -> None:
        """Bet, and bet again, until selling is over; no key is left without its ticket."""
        number = 0
        while not self.over.is_set():
            player.bet(f"{player.name}-{number}", until=time.monotonic() + LONGEST_PAUSE)
            self.acknowledged.append(time.monotonic())
            number += 1

    def wait_for(self, bets: int, seconds: float = LONGEST_PAUSE) -> None:
        """Wait until so many more bets were acknowledged. :raises AssertionError: when they are not."""
        wanted, deadline = len(self.acknowledged) + bets, time.monotonic() + seconds
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < deadline, f"{wanted - len(self.acknowledged)} bets of {bets} were not sold"
            time.sleep(0.02)

    def longest_pause_since(self, instant: float) -> float:
        """Return the longest time, in seconds, that nothing was acknowledged from an instant on."""
        times = [instant, *sorted(at for at in self.acknowledged if at > instant)]
        return max((after - before for before, after in pairwise(times)), default=0)

    def per_second(self, since: float, until: float) -> float:
        """Return how many bets a second were acknowledged between two instants."""
        return sum(since <= at < until for at in self.acknowledged) / (until - since)

    def tickets(self) -> list[str]:
        """Return the tickets that the players were given. :raises AssertionError: when a key was given two."""
        for player in self.players:
            for key, answers in player.tickets.items():
                assert len(set(answers)) == 1, f"two tickets for {key}: {answers}"
        return sorted(answers[0] for player in self.players for answers in player.tickets.values())

    def ask_again(self, keys: int) -> None:
        """Ask for the first keys of each player once more: they must give the tickets that they gave."""
        for player in self.players:
            for key in list(player.tickets)[:keys]:
                player.bet(key, until=time.monotonic() + LONGEST_PAUSE)

    def unclear(self) -> list[str]:
        """Return every answer that was neither a ticket nor a request to try again."""
        return [answer for player in self.players for answer in player.unclear]


@contextmanager
def selling(players: Sequence[StubbornPlayer]) -> Iterator[Selling]:
    """Sell while the block runs; at its end every bet that was begun is carried through."""
    going = Selling(players)
    with ThreadPoolExecutor(len(players)) as threads:
        playing: list[Future[None]] = [threads.submit(going.play, player) for player in players]
        try:
            yield going
        finally:
            going.over.set()
        for future in playing:
            future.result()


def lost(acknowledged: Sequence[str], standing: Sequence[str]) -> list[str]:
    """Return the tickets that somebody was given and that the database does not know."""
    return sorted(set(acknowledged) - set(standing))

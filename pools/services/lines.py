"""A pool's line: whose bets share a transaction, and who is waited for (ADR 12).

Who finds nobody at the line leads: he places his own bet. Those who come while he is at that wait; the first of them
leads then, and takes all who wait along. Those who were just served are about to come again where bets come thick, so
a leader gives them a moment. Who bets alone never waits for company.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event, Lock
from time import monotonic_ns

from accounts.models import Person
from pools.models import Bet
from pools.services.attempts import Request
from pools.services.sources import BetSource

PATIENCE_SECONDS = 5
"""How long who has come is kept waiting: as long as for a lock."""
AT_ONCE = 64
"""How many bets share a commit at most."""
COMPANY_SECONDS = timedelta(milliseconds=1).total_seconds()
"""How long a leader waits at most for those who were here lately: no longer than it takes to place a bet alone."""
LATELY_NANOSECONDS = 5_000_000
"""Who was here longer ago is not waited for."""


@dataclass(slots=True, eq=False)
class Wanted:
    """A bet at a pool's line."""

    source: BetSource
    person: Person
    request: Request
    bet: Bet | None = None
    leads: bool = False
    called: Event = field(default_factory=Event)


Place = Callable[[Sequence[Wanted]], None]
"""Gives those of a party their `bet` that nothing stands against."""


class Line:
    """Who wants to bet in one pool, in this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[Wanted] = []
        self._led = False
        self._expected = 1
        self._busy_until = 0
        self._all_here = Event()

    def serve(self, wanted: Wanted, place: Place) -> None:
        """Have the bet placed together with others, or leave it without `bet`."""
        if self._has_to_wait(wanted) and not self._is_called_to_lead(wanted):
            return
        party = [wanted]
        try:
            self._wait_for_company()
            party += self._take_along(wanted)
            place(party)
        finally:
            try:
                self._hand_over(len(party))
            finally:
                for other in party[1:]:
                    other.called.set()

    def _has_to_wait(self, wanted: Wanted) -> bool:
        with self._lock:
            if not self._led:
                self._led = True
                return False
            self._waiting.append(wanted)
            if len(self._waiting) + 1 >= self._expected:
                self._all_here.set()
            return True

    def _is_called_to_lead(self, wanted: Wanted) -> bool:
        """Wait to be placed or to lead, but no longer than for a lock: who is not called goes alone, which is safe."""
        try:
            wanted.called.wait(PATIENCE_SECONDS)
        finally:
            with self._lock:
                if wanted in self._waiting:
                    self._waiting.remove(wanted)
        return wanted.leads

    def _wait_for_company(self) -> None:
        """Wait until as many are here as were at the end of the last party, if that is only just over."""
        with self._lock:
            if len(self._waiting) + 1 >= self._expected or monotonic_ns() - self._busy_until > LATELY_NANOSECONDS:
                return
            self._all_here.clear()
        self._all_here.wait(COMPANY_SECONDS)

    def _take_along(self, first: Wanted) -> list[Wanted]:
        """Take who waits, one bet of each person: a second one is judged by what the first has changed."""
        party, persons, left = [], {first.person.pk}, []
        with self._lock:
            for wanted in self._waiting:
                if wanted.person.pk in persons or len(persons) == AT_ONCE:
                    left.append(wanted)
                else:
                    persons.add(wanted.person.pk)
                    party.append(wanted)
            self._waiting = left
        return party

    def _hand_over(self, served: int) -> None:
        with self._lock:
            self._expected = min(served + len(self._waiting), AT_ONCE)
            self._busy_until = monotonic_ns()
            self._led = bool(self._waiting)
            if self._led:
                following = self._waiting.pop(0)
                following.leads = True
                following.called.set()

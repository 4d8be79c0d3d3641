"""Who leads at a pool's line, whom he takes along, and whom he waits for: no bet is made here, only served."""

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from pools.services import lines
from pools.services.lines import COMPANY_SECONDS, LATELY_NANOSECONDS, Line, Wanted

PATIENCE = 30


def wanted(person: int) -> Wanted:
    nothing: Any = None
    somebody: Any = SimpleNamespace(pk=person)
    return Wanted(source=nothing, person=somebody, request=nothing)


class Waits:
    """Stands in for the event that a leader waits for: keeps how long he would, and does what happens meanwhile."""

    def __init__(self, line: Line, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.seconds: list[float] = []
        self.told = 0
        self._meanwhile = meanwhile
        line._all_here = self  # type: ignore[assignment]

    def clear(self) -> None:
        self.told = 0

    def set(self) -> None:
        self.told += 1

    def wait(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self._meanwhile()


def served(line: Line, first: Wanted) -> list[Wanted]:
    """Have `first` lead, and return his party."""
    parties: list[Sequence[Wanted]] = []
    line.serve(first, parties.append)
    (party,) = parties
    return list(party)


def test_who_bets_alone_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "monotonic_ns", lambda: 1)
    line = Line()
    waits = Waits(line)
    for number in range(5):
        assert len(served(line, wanted(number))) == 1
    assert waits.seconds == []


def test_who_was_here_a_moment_ago_is_waited_for_until_he_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are placed together; the first of them comes again, and the second one while he waits."""
    monkeypatch.setattr(lines, "monotonic_ns", lambda: 1)
    line, second = Line(), wanted(2)
    line._hand_over(2)
    waits = Waits(line, meanwhile=lambda: line._has_to_wait(second))
    first = wanted(1)
    assert served(line, first) == [first, second]
    assert waits.seconds == [COMPANY_SECONDS]
    assert waits.told == 1


def test_who_is_here_already_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "monotonic_ns", lambda: 1)
    line, second = Line(), wanted(2)
    line._hand_over(2)
    line._waiting = [second]
    waits = Waits(line)
    assert len(served(line, wanted(1))) == 2
    assert waits.seconds == []


def test_whoever_does_not_come_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "monotonic_ns", lambda: 1)
    line = Line()
    line._hand_over(2)
    waits = Waits(line)
    for _ in range(3):
        assert len(served(line, wanted(1))) == 1
    assert waits.seconds == [COMPANY_SECONDS]


def test_whoever_was_here_longer_ago_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1]
    monkeypatch.setattr(lines, "monotonic_ns", lambda: now[0])
    line = Line()
    line._hand_over(8)
    waits = Waits(line)
    now[0] += LATELY_NANOSECONDS + 1
    assert len(served(line, wanted(1))) == 1
    assert waits.seconds == []


def test_a_leader_goes_at_once_when_all_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """He would wait for half a minute; the second one's coming ends it."""
    monkeypatch.setattr(lines, "COMPANY_SECONDS", PATIENCE)
    monkeypatch.setattr(lines, "monotonic_ns", lambda: 1)
    line, first, second = Line(), wanted(1), wanted(2)
    line._hand_over(2)
    parties: list[Sequence[Wanted]] = []
    leader = Thread(target=line.serve, args=(first, parties.append))
    leader.start()
    pause = Event()
    for _ in range(PATIENCE * 100):
        if line._led:
            break
        pause.wait(0.01)
    line.serve(second, parties.append)
    leader.join(PATIENCE / 2)
    assert not leader.is_alive()
    assert parties == [[first, second]]


def served_by_a_crowd(line: Line, people: int, bets: int) -> tuple[Counter[Wanted], list[Wanted], list[int]]:
    """Have threads bet again and again; return how often each bet was served, all bets, and how many parties met."""
    counts: Counter[Wanted] = Counter()
    asked: list[Wanted] = []
    inside: list[int] = []
    placing, keeping, pause = Lock(), Lock(), Event()

    def place(party: Sequence[Wanted]) -> None:
        alone = placing.acquire(blocking=False)
        counts.update(party)
        inside.append(1 if alone else 2)
        pause.wait(0.001)  # the others come meanwhile
        if alone:
            placing.release()

    def bet_again_and_again(person: int) -> None:
        for _ in range(bets):
            mine = wanted(person)
            with keeping:
                asked.append(mine)
            line.serve(mine, place)

    crowd = [Thread(target=bet_again_and_again, args=(person,)) for person in range(people)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join(PATIENCE)
        assert not one.is_alive()
    return counts, asked, inside


def test_everyone_is_served_once_and_one_party_at_a_time() -> None:
    line = Line()
    counts, asked, inside = served_by_a_crowd(line, people=8, bets=50)
    assert counts == Counter(asked)
    assert set(inside) == {1}
    assert len(inside) < len(asked), "some went together"
    assert (line._waiting, line._led) == ([], False)


def test_negative_control_who_is_not_taken_off_the_line_is_served_twice() -> None:
    class Forgetful(Line):
        def _take_along(self, first: Wanted) -> list[Wanted]:
            before = list(self._waiting)
            party = super()._take_along(first)
            self._waiting = before
            return party

    line, first, second = Forgetful(), wanted(1), wanted(2)
    line._waiting = [second]
    parties: list[Sequence[Wanted]] = []
    line.serve(first, parties.append)
    assert second.leads, "he was placed, and is called to place his bet"
    assert parties == [[first, second]]

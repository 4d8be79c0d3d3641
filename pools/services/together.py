"""Bets from game accounts that come at the same moment, placed in one transaction (¶9.11-9.14).

Who finds nobody at a pool's line places its own bet. Those who come while it is at that wait; the first of them then
takes all who wait along, so that the more bets there are, the less each costs. Nobody waits for company.

Nothing is decided here. A bet that something stands against, or whose person or account somebody else holds, is left
to be placed alone, and so are all when anything goes wrong: the key of a request makes that safe (C37).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from logging import getLogger
from threading import Event, Lock

from django.db import connection

from accounts.models import Person
from pools.locks import hold_for_bets
from pools.models import Bet, Channel, Pool
from pools.queries.before_bet import Facts, facts_of_bets
from pools.services.attempts import Attempt, Request, attempt_by, bettor_of
from pools.services.gates import refuse_bet
from pools.services.registering import AccountTaken, KeyTaken, register_together
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError
from totalizator.core.prepared import sent_together
from totalizator.core.transactions import one_transaction

logger = getLogger(__name__)
PATIENCE_SECONDS = 5
"""How long who has come is kept waiting: as long as for a lock."""
AT_ONCE = 64
"""How many bets share a commit at most."""


@dataclass(slots=True, eq=False)
class _Wanted:
    """A bet at a pool's line."""

    source: BetSource
    person: Person
    request: Request
    bet: Bet | None = None
    leads: bool = False
    called: Event = field(default_factory=Event)


class _Line:
    """Who wants to bet in one pool, in this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[_Wanted] = []
        self._led = False

    def place(self, pool: Pool, wanted: _Wanted) -> None:
        """Place the bet together with others, or leave it without `bet`."""
        if self._has_to_wait(wanted) and not self._is_called_to_lead(wanted):
            return
        party = [wanted]
        try:
            party += self._take_along(wanted)
            _place(pool, party)
        finally:
            try:
                self._hand_over()
            finally:
                for other in party[1:]:
                    other.called.set()

    def _has_to_wait(self, wanted: _Wanted) -> bool:
        with self._lock:
            if self._led:
                self._waiting.append(wanted)
                return True
            self._led = True
            return False

    def _is_called_to_lead(self, wanted: _Wanted) -> bool:
        """Wait to be placed or to lead, but no longer than for a lock: who is not called goes alone, which is safe."""
        try:
            wanted.called.wait(PATIENCE_SECONDS)
        finally:
            with self._lock:
                if wanted in self._waiting:
                    self._waiting.remove(wanted)
        return wanted.leads

    def _take_along(self, first: _Wanted) -> list[_Wanted]:
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

    def _hand_over(self) -> None:
        with self._lock:
            self._led = bool(self._waiting)
            if self._led:
                following = self._waiting.pop(0)
                following.leads = True
                following.called.set()


_lines: dict[int, _Line] = {}


def place_together(pool: Pool, source: BetSource, person: Person | None, request: Request) -> Bet | None:
    """Return the bet if it was placed here; None: nothing was done, and it is to be placed alone."""
    if person is None or source.channel != Channel.ACCOUNT or connection.in_atomic_block:
        return None
    wanted = _Wanted(source, person, request)
    line_of(pool).place(pool, wanted)
    return wanted.bet


def line_of(pool: Pool) -> _Line:
    """Return the line of a pool in this process."""
    return _lines.get(pool.pk) or _lines.setdefault(pool.pk, _Line())


def _place(pool: Pool, party: Sequence[_Wanted]) -> None:
    """Place those bets of the party that nothing stands against.

    Whatever goes wrong may be another's fault than the leader's: everybody then goes alone, and meets his own.
    """
    try:
        with one_transaction():
            fit = _fit(pool, party)
            bets = register_together([(attempt, wanted.request.new) for wanted, attempt in fit]) if fit else []
    except (KeyTaken, AccountTaken, DomainError):
        return
    except Exception:
        logger.exception("%s bets that came together were undone, and are placed one by one", len(party))
        return
    for (wanted, _), bet in zip(fit, bets, strict=True):
        wanted.bet = bet


def _fit(pool: Pool, party: Sequence[_Wanted]) -> list[tuple[_Wanted, Attempt]]:
    """Hold the pool and the persons, and return whose bets may be registered now."""
    with sent_together():
        held = hold_for_bets(pool.pk, [wanted.person.pk for wanted in party])
        facts = facts_of_bets(
            pool_id=pool.pk,
            channel=str(Channel.ACCOUNT),
            point_id=None,
            rules_version=pool.terms.rules_version,
            bettors=[bettor_of(wanted.source, wanted.person, wanted.request) for wanted in party],
        )
    judged = zip(party, held, facts, strict=True)
    return [(wanted, attempt) for wanted, free, known in judged if free and (attempt := _let_in(pool, wanted, known))]


def _let_in(pool: Pool, wanted: _Wanted, facts: Facts) -> Attempt | None:
    """Return the attempt if it is a new one, paid for, and every gate lets it pass."""
    attempt = attempt_by(pool, wanted.source, wanted.person, [wanted.request], facts)
    if facts.first_ticket is not None or facts.funds is None or facts.funds < attempt.stake:
        return None
    try:
        refuse_bet(attempt)
    except DomainError:
        return None
    return attempt

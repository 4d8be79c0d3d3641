"""Bets from game accounts that come at the same moment, placed in one transaction (¶9.11-9.14).

The more there are, the less each costs (ADR 12). Who goes with whom is said by the pool's line (`lines.py`).

Nothing is decided here. A bet that something stands against, or whose person or account somebody else holds, is left
to be placed alone, and so are all when anything goes wrong: the key of a request makes that safe (C37).
"""

from collections.abc import Sequence
from functools import partial
from logging import getLogger

from django.db import connection

from accounts.models import Person
from pools.locks import hold_for_bets
from pools.models import Bet, Channel, Pool
from pools.queries.before_bet import Facts, facts_of_bets
from pools.services.attempts import Attempt, Request, attempt_by, bettor_of
from pools.services.gates import refuse_bet
from pools.services.lines import Line, Wanted
from pools.services.registering import AccountTaken, KeyTaken, register_together
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError
from totalizator.core.prepared import sent_together
from totalizator.core.transactions import one_transaction

logger = getLogger(__name__)
_lines: dict[int, Line] = {}


def place_together(pool: Pool, source: BetSource, person: Person | None, request: Request) -> Bet | None:
    """Return the bet if it was placed here; None: nothing was done, and it is to be placed alone."""
    if person is None or source.channel != Channel.ACCOUNT or connection.in_atomic_block:
        return None
    wanted = Wanted(source, person, request)
    line_of(pool).serve(wanted, partial(_place, pool))
    return wanted.bet


def line_of(pool: Pool) -> Line:
    """Return the line of a pool in this process."""
    return _lines.get(pool.pk) or _lines.setdefault(pool.pk, Line())


def _place(pool: Pool, party: Sequence[Wanted]) -> None:
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


def _fit(pool: Pool, party: Sequence[Wanted]) -> list[tuple[Wanted, Attempt]]:
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


def _let_in(pool: Pool, wanted: Wanted, facts: Facts) -> Attempt | None:
    """Return the attempt if it is a new one, paid for, and every gate lets it pass."""
    attempt = attempt_by(pool, wanted.source, wanted.person, [wanted.request], facts)
    if facts.first_ticket is not None or facts.funds is None or facts.funds < attempt.stake:
        return None
    try:
        refuse_bet(attempt)
    except DomainError:
        return None
    return attempt

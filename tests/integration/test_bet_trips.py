"""How often a bet goes to the database and waits for it: most of what it costs alone (docs/performance.md)."""

import tempfile
from collections.abc import Callable

import pytest
from django.db import connection
from psycopg.pq import Trace

from pools.models import Bet
from pools.services.batches import WantedBet, place_bets
from pools.services.betting import place_bet
from pools.services.sources import from_game_account
from tests.making import make_player, make_pool

pytestmark = pytest.mark.django_db(transaction=True)
SENT, TOLD = "F", "B"


def trips(act: Callable[[], object]) -> list[str]:
    """Return, for each time that something was sent and waited for, the first letters of the messages sent.

    libpq writes down each message, whose it is and what it is called: `F 12 Query "COMMIT"`.
    """
    connection.ensure_connection()
    link = connection.connection.pgconn
    with tempfile.TemporaryFile("w+") as kept:
        link.trace(kept.fileno())
        link.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
        act()
        link.untrace()
        kept.seek(0)
        messages = [line.split("\t") for line in kept.read().splitlines() if line]
    found, last = [], TOLD
    for side, _length, name, *_rest in messages:
        if side == SENT and last == TOLD:
            found.append("")
        if side == SENT:
            found[-1] += name[0]
        last = side
    return found


def test_a_bet_from_an_account_goes_to_the_database_three_times() -> None:
    """Beginning, locks and facts; all that is written; the commit. It was six times, and nobody saw it."""
    pool, source = make_pool(), from_game_account(make_player(1_000))

    def bet(key: str) -> None:
        place_bet(pool_code=pool.code, selections="1;1;1", stake=100, source=source, idempotency_key=key * 32)

    for key in "ab":  # what is kept in the process, and prepared
        bet(key)
    asked, written, committed = trips(lambda: bet("c"))
    assert (asked.count("S"), asked.count("B"), asked.count("E")) == (1, 3, 3), "BEGIN, locks, facts, one Sync"
    assert (written.count("S"), written.count("B")) == (1, 1)
    assert committed == "Q"
    assert Bet.objects.filter(pool=pool).count() == 3


def test_bets_of_a_batch_go_as_often_as_one() -> None:
    pool, player = make_pool(), make_player(10_000)
    source = from_game_account(player)

    def batch(keys: str) -> None:
        place_bets(pool_code=pool.code, wanted=[WantedBet("1;1;1", 100, key * 32) for key in keys], source=source)

    batch("abcde")
    batch("fghij")
    assert len(trips(lambda: batch("klmno"))) == 3
    assert Bet.objects.filter(pool=pool).count() == 15

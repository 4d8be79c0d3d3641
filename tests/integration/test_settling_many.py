"""Settling many bets: set-wise, so that neither statements nor time grow out of proportion (C27)."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import pytest
from django.db import connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext

from accounts.ledger.kinds import AccountKind
from pools.models import Winning
from pools.services.calculating import calculate_settlement
from pools.services.settling import settle_pool
from tests.loaded_bets import load_bets
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import owed, pot_of, statement_of
from totalizator.engine.matching import LevelLines, Matcher, Pair

pytestmark = pytest.mark.django_db

LEVELS = [
    {"code": str(matches), "from": f"{matches}/15", "to": f"{matches}/15", "share": share}
    for matches, share in ((15, "2/5"), (14, "1/5"), (13, "1/5"), (12, "1/5"))
]


@dataclass(frozen=True, slots=True)
class Run:
    """How a settlement went."""

    seconds: float
    statements: int
    rows: int


def settle_many(bets: int, game: str = "sportloto-position") -> Run:
    pool = make_pool(game, conditions=15, terms={"levels": LEVELS})
    turnover = load_bets(pool, bets)
    close_by_clock(pool)
    seal(pool, ";".join("1" * 15))
    started = monotonic()
    with CaptureQueriesContext(connection) as statements:
        settle_pool(code=pool.code, actor="test")
    seconds = monotonic() - started
    statement = statement_of(pool)
    rows = Winning.objects.filter(pool=pool)
    assert statement["turnover"] == turnover
    assert rows.aggregate(total=Sum("amount"))["total"] == statement["winnings"] == owed(AccountKind.WINNINGS_DUE, pool)
    assert turnover == statement["takeout"] + statement["winnings"] + statement["jackpot_out"]
    assert pot_of(pool) == 0
    return Run(seconds, len(statements), rows.count())


@pytest.mark.parametrize("game", ["sportloto-position", "totolot-position"])
def test_c27_ten_times_the_bets_take_no_more_statements(game: str) -> None:
    few, many = settle_many(10_000, game), settle_many(100_000, game)
    assert many.rows > 5 * few.rows > 1_000
    assert many.statements <= few.statements < 100  # the first also opens the jackpot's account
    assert many.seconds < 30
    assert many.seconds < 15 * max(few.seconds, 0.2)


def test_system_bets_are_counted_once_for_each_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    """5 % of the bets are system coupons, of a few shapes: Python must see the shapes, not the coupons."""
    pool = make_pool(conditions=15, terms={"levels": LEVELS})
    load_bets(pool, 20_000)
    close_by_clock(pool)
    seal(pool, ";".join("1" * 15))
    seen = []

    def count(matcher: Matcher, pairs: Sequence[Pair]) -> LevelLines:
        seen.append(tuple(pairs))
        return levels_of_pairs(matcher, pairs)

    levels_of_pairs = Matcher.levels_of_pairs
    monkeypatch.setattr(Matcher, "levels_of_pairs", count)
    calculate_settlement(code=pool.code, actor="test")
    assert pool.bets.filter(lines__gt=1).count() == 1_000
    assert 10 < len(seen) == len(set(seen)) < 50  # and of those that cannot win not even the shapes

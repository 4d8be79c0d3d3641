"""The jackpot: reserved for the pool that draws it, won, or put back (¶16-20, ¶37-39)."""

import pytest

from accounts.ledger.kinds import AccountKind, TransferKind
from pools.models import Pool
from tests.making import make_pool
from tests.settling import jackpot_of, moved, owed, pot_of, sell, settle, winnings_of

pytestmark = pytest.mark.django_db


def jackpot_pool(**terms: object) -> Pool:
    return make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}, **terms})


def feed_jackpot(kopecks: int) -> None:
    pool = make_pool("sportloto-variant", terms={"fund": "1", "price": {"line": kopecks}})
    sell(pool, ("2", kopecks))
    settle(pool, "1")


def test_a_jackpot_rolls_and_is_won() -> None:
    feed_jackpot(5_000)
    assert jackpot_of("sportloto-variant") == 5_000
    pool = jackpot_pool()
    (ticket,) = sell(pool, ("1", 100))
    statement = settle(pool, "1")
    assert (statement["jackpot_in"], statement["jackpot_out"], statement["winnings"]) == (5_000, 0, 5_070)
    assert winnings_of(pool) == {(ticket, "all"): 5_070}
    assert (moved(pool, TransferKind.JACKPOT_DRAWN), moved(pool, TransferKind.JACKPOT_UNDRAWN)) == (5_000, 0)
    assert (jackpot_of(pool.game), pot_of(pool)) == (0, 0)


def test_a_jackpot_that_nobody_wins_goes_back_and_is_no_new_money() -> None:
    feed_jackpot(5_000)
    pool = jackpot_pool(jackpot={"level": "all", "share": "1/2"})
    sell(pool, ("2", 100))
    settle(pool, "1")
    assert moved(pool, TransferKind.JACKPOT_UNDRAWN) == 5_000
    assert moved(pool, TransferKind.JACKPOT_NO_WINNER) == 70
    assert (jackpot_of(pool.game), pot_of(pool)) == (5_070, 0)


def test_half_a_jackpot_is_drawn_and_the_rest_stays() -> None:
    feed_jackpot(5_001)
    pool = jackpot_pool(jackpot={"level": "all", "share": "1/2"})
    sell(pool, ("1", 100))
    settle(pool, "1")
    assert list(winnings_of(pool).values()) == [2_570]
    assert moved(pool, TransferKind.JACKPOT_UNDRAWN) == 2_501
    assert jackpot_of(pool.game) == 2_501


def test_a_returned_pool_gives_the_whole_jackpot_back() -> None:
    feed_jackpot(5_000)
    pool = jackpot_pool()
    sell(pool, ("1", 100))
    settle(pool, "void")
    assert (moved(pool, TransferKind.JACKPOT_UNDRAWN), owed(AccountKind.REFUNDS_DUE, pool)) == (5_000, 100)
    assert (jackpot_of(pool.game), pot_of(pool)) == (5_000, 0)


def test_the_jackpots_of_the_two_games_are_apart() -> None:
    feed_jackpot(5_000)
    pool = make_pool("totolot-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    sell(pool, ("1", 100))
    assert settle(pool, "1")["jackpot_in"] == 0
    assert jackpot_of("sportloto-variant") == 5_000

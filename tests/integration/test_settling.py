"""Settling a pool: each of the four games, returned pools and late bets, to the kopeck."""

from datetime import datetime, timedelta

import pytest

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import Transfer
from pools.models import PoolState
from pools.queries.winnings import winnings_csv
from tests.bet_clock import stop_clock
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.settling import jackpot_of, moved, owed, pot_of, sell, settle, winnings_of
from totalizator.core import clock

pytestmark = pytest.mark.django_db


def test_sportloto_variant_pays_fund_over_matching_bets() -> None:
    pool = make_pool("sportloto-variant")
    one, system = sell(pool, ("1", 100), ("1+X", 200))
    sell(pool, ("2", 100), ("X", 100))
    statement = settle(pool, "1")
    assert (statement["turnover"], statement["fund"], statement["takeout"]) == (500, 350, 150)
    assert winnings_of(pool) == {(one, "all"): 175, (system, "all"): 175}
    assert (owed(AccountKind.TAKEOUT, pool), owed(AccountKind.WINNINGS_DUE, pool), pot_of(pool)) == (150, 350, 0)


def test_sportloto_position_pays_each_line_of_a_system_coupon_on_its_level() -> None:
    pool = make_pool("sportloto-position")
    system, single = sell(pool, ("1+X;1;1+X", 400), ("1;1;2", 100))
    sell(pool, *[("2;2;2", 100)] * 5)
    statement = settle(pool, "1;1;1")
    # 1,000 staked, fund 700: 420 for three right, 280 for two. The coupon has one line with three right and two with
    # two; the single line has two right.
    assert [(level["code"], level["lines"], level["dividend"]) for level in statement["levels"]] == [
        ("all", 1, 420),
        ("but-one", 3, 93),
    ]
    assert winnings_of(pool) == {(system, "all"): 420, (system, "but-one"): 186, (single, "but-one"): 93}
    assert moved(pool, TransferKind.JACKPOT_REMAINDER) == 1
    assert pot_of(pool) == 0


def test_totolot_variant_pays_in_proportion_to_stakes() -> None:
    pool = make_pool("totolot-variant")
    small, large, system = sell(pool, ("X", 100), ("X", 1_000), ("1+X", 400))
    sell(pool, ("2", 3_500))
    statement = settle(pool, "X")
    # 5,000 staked, fund 3,000, winning stakes 100 + 1,000 + 200.
    assert statement["levels"][0]["coefficient"] == "30/13"
    assert winnings_of(pool) == {(small, "all"): 230, (large, "all"): 2_307, (system, "all"): 461}
    assert moved(pool, TransferKind.JACKPOT_REMAINDER) == 2


def test_totolot_position_hands_an_empty_level_to_the_others() -> None:
    pool = make_pool("totolot-position", terms={"empty_level": "other_levels"})
    one, other = sell(pool, ("1;1;2", 300), ("1;2;1", 700))
    sell(pool, ("2;2;2", 9_000))
    statement = settle(pool, "1;1;1")
    assert [level["moved"] for level in statement["levels"]] == [
        [{"to": "but-one", "amount": 3_600, "why": "empty"}],
        [],
    ]
    assert winnings_of(pool) == {(one, "but-one"): 1_800, (other, "but-one"): 4_200}
    assert (jackpot_of(pool.game), pot_of(pool)) == (0, 0)


def test_an_exact_product_that_no_bigint_holds() -> None:
    """A stake of 1,000,000.00 and a fund of 1.2 billion kopecks: their product passes 2^63."""
    pool = make_pool("totolot-variant", terms={"price": {"min": 1, "max": 10**12}})
    winners = sell(pool, ("1", 3 * 10**11), ("1", 7))
    sell(pool, ("2", 10**12))
    settle(pool, "1")
    fund, stakes = 780_000_000_005, 3 * 10**11 + 7
    assert winnings_of(pool) == {
        (winners[0], "all"): 3 * 10**11 * fund // stakes,
        (winners[1], "all"): 7 * fund // stakes,
    }


def test_c43_a_pool_whose_event_did_not_take_place_is_returned() -> None:
    pool, player = make_pool("totolot-variant", terms={"price": {"min": 1, "max": 10_000}}), make_player(1_000)
    bet_from_account(pool, player, "1", 1_000)
    bet_in_cash(pool, make_till(), "X", 3_333)
    bet_in_cash(pool, make_till(), "2", 1)
    statement = settle(pool, "void", event_void=True)
    assert (statement["refunds"], statement["takeout"], statement["winnings"]) == (4_334, 0, 0)
    assert owed(AccountKind.REFUNDS_DUE, pool) == 4_334
    assert (owed(AccountKind.TAKEOUT, pool), jackpot_of(pool.game), pot_of(pool)) == (0, 0, 0)
    assert pool.state == PoolState.SETTLED
    assert list(winnings_csv(pool)) == [b"ticket,level,lines,amount\n"]


def test_a_pool_under_its_minimum_turnover_is_returned() -> None:
    pool = make_pool("sportloto-variant", terms={"min_turnover": 201})
    sell(pool, ("1", 100), ("2", 100))
    assert settle(pool, "1")["refunds"] == 200
    assert (owed(AccountKind.REFUNDS_DUE, pool), winnings_of(pool)) == (200, {})


def test_a_pool_without_bets_settles() -> None:
    pool = make_pool()
    assert settle(pool, "1;1;1")["turnover"] == 0
    assert (pool.state, Transfer.objects.filter(book=pool.pk).count()) == (PoolState.SETTLED, 0)


def test_c30_bets_at_or_after_the_start_are_returned_winning_and_losing_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The race started at 11:32:34, the pool closed later: 86 late bets of 5.50 go back, 3,896.00 stay in play."""
    pool = make_pool("totolot-variant")
    started = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    stamps: list[datetime] = []
    stop_clock(monkeypatch, lambda: stamps[-1])

    def sell_at(stamp: datetime, *bets: tuple[str, int]) -> list[str]:
        stamps.append(stamp)
        return sell(pool, *bets)

    in_time = sell_at(started - timedelta(milliseconds=1), ("1", 89_600), ("X", 300_000))
    late = sell_at(started, *[("1", 550)] * 43)
    late += sell_at(started + timedelta(minutes=5), *[("X", 550)] * 43)
    monkeypatch.undo()
    statement = settle(pool, "1", started_at=started)
    assert (len(statement["late"]), statement["refunds"]) == (86, 47_300)
    assert statement["late"] == sorted(late)
    assert statement["turnover"] - statement["refunds"] == 389_600
    assert (statement["fund"], statement["takeout"]) == (233_760, 155_840)
    assert winnings_of(pool) == {(in_time[0], "all"): 233_760}
    assert (owed(AccountKind.REFUNDS_DUE, pool), pot_of(pool)) == (47_300, 0)

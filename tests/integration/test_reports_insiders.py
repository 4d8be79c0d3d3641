"""Wins of staff, agents and insiders against expectation: a planted anomaly is found, an honest year is not (X11)."""

from datetime import date, timedelta
from fractions import Fraction
from math import comb
from random import Random

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import InsiderKind, PointKind
from accounts.services.insiders import list_insider
from payouts.documents.reports import WRITERS
from payouts.queries.reports.binomial import is_rarer, rounded_up, tail
from payouts.queries.reports.insiders import luck
from payouts.queries.reports.shape import Asked
from payouts.services.booking import book_payables
from tests.desks import make_agent
from tests.making import bet_in_cash, make_organizers, make_pool, make_till, somebody
from tests.paying import go_to, pay, payable_from
from tests.reporting import report, today
from tests.settling import settle

LIMIT = Fraction(1, 1000)


def exactly(wins: int, bets: int, share: Fraction) -> Fraction:
    """The tail as the textbook has it."""
    return sum(
        (comb(bets, won) * share**won * (1 - share) ** (bets - won) for won in range(wins, bets + 1)), Fraction(0)
    )


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 20))
def test_the_tail_is_the_textbooks(wins: int, bets: int, parts: int) -> None:
    share = Fraction(parts, 20)
    truth, found = exactly(wins, bets, share), tail(wins, bets, share)
    assert truth <= found <= truth * (1 + Fraction(1, 2**60))
    assert is_rarer(wins, bets, share, LIMIT) == (truth < LIMIT)


def test_the_tail_of_many_bets_is_found_soon_and_close_to_the_truth() -> None:
    share = Fraction(1, 10)
    assert is_rarer(10_300, 100_000, share, LIMIT)
    assert not is_rarer(10_250, 100_000, share, LIMIT)
    truth, found = exactly(160, 1_000, share), tail(160, 1_000, share)
    assert truth <= found <= truth * (1 + Fraction(1, 2**60))


def test_a_share_is_rounded_up_and_no_share_is_refused() -> None:
    third = rounded_up(Fraction(1, 3))
    assert Fraction(1, 3) < third < Fraction(1, 3) + Fraction(1, 2**30)
    assert rounded_up(Fraction(1, 2)) == Fraction(1, 2)
    wrongs: list[tuple[int, int, Fraction]] = [(-1, 2, Fraction(1, 2)), (1, -2, Fraction(1, 2)), (1, 2, Fraction(3, 2))]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="with a share of"):
            tail(*wrong)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 10)), min_size=1, max_size=4))
def test_the_mean_share_never_makes_luck_rarer_than_it_is(pools: list[tuple[int, int]]) -> None:
    """Hoeffding's theorem on small pools of different shares, by the exact distribution of the sum."""
    distribution = [Fraction(1)]
    for bets, tenths in pools:
        share = Fraction(tenths, 10)
        for _ in range(bets):
            lost = [part * (1 - share) for part in distribution] + [Fraction(0)]
            won = [Fraction(0)] + [part * share for part in distribution]
            distribution = [one + other for one, other in zip(lost, won, strict=True)]
    bets = sum(bets for bets, _ in pools)
    mean = sum((Fraction(bets * tenths, 10) for bets, tenths in pools), Fraction(0))
    for wins in range(bets + 1):
        if wins > mean + 1:
            assert sum(distribution[wins:]) <= tail(wins, bets, mean / bets)


def year() -> tuple[date, date]:
    return today() - timedelta(days=365), today()


def reported() -> list[tuple[str, str]]:
    with translation.override("en"):
        return [(str(row[0]), str(row[1])) for row in report("insiders", *year()).rows if row[-1]]


@pytest.mark.django_db
def test_x11_a_planted_anomaly_is_found_and_an_honest_year_raises_nothing() -> None:
    chance = Random(11)
    agent = make_agent("1/10")
    tills = [make_till(50_000), make_till(50_000), make_till(50_000, kind=PointKind.AGENT, agent=agent)]
    for _ in range(2):
        pool = make_pool("sportloto-variant")
        for till in tills:
            for _bet in range(12):
                bet_in_cash(pool, till, chance.choice("1X2"), 100)
        settle(pool, "1")
    assert reported() == []
    crooked, insider = tills[2], somebody("INSIDER00001")
    pool = make_pool("sportloto-variant")
    slips = [bet_in_cash(pool, crooked, "1", 100, person=insider) for _ in range(16)]
    for till in tills[:2]:
        for _bet in range(40):
            bet_in_cash(pool, till, chance.choice("X2"), 100)
    settle(pool, "1")
    assert crooked.cashier is not None
    by_desk = [
        ("agent", agent.contract_number),
        ("cashier", crooked.cashier.actor),
        ("betting point", crooked.point.code),
    ]
    assert sorted(reported()) == sorted(by_desk)
    list_insider(identity_number="INSIDER00001", kind=InsiderKind.RELATIVE, listed_by=make_organizers()[0])
    (own,) = set(reported()) - set(by_desk)
    assert own[0] == "listed insider"
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(slips[0], crooked)
    with translation.override("en"):
        found = report("insiders", *year())
        (row,) = [row for row in found.rows if row[1] == crooked.cashier.actor]
        again = report("insiders", *year())
        assert WRITERS["json"](found).split(b'"generated_at"')[0] == WRITERS["json"](again).split(b'"generated_at"')[0]
    one = luck(Asked(*year()))[("cashier", crooked.cashier.actor)]
    assert row[2:4] == (40, one.wins)
    assert (row[8], int(row[9])) == (1, 420 // 1)
    assert one.expected_wins < one.wins


@pytest.mark.django_db
def test_x11_bets_that_were_void_and_pools_that_came_to_nothing_count_for_nobody() -> None:
    till = make_till(1_000)
    pool = make_pool("sportloto-variant")
    bet_in_cash(pool, till, "1", 100)
    settle(pool, "1", event_void=True)
    assert luck(Asked(*year())) == {}

"""A guaranteed fund: what it is short of is the organizer's expense, and never comes into the next pool (J4)."""

from typing import Any

import pytest

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from payouts.queries import jackpot_history, money_certificate
from payouts.services.reports import make_report
from pools.models import Pool
from tests.making import make_pool
from tests.paying import broken
from tests.settling import jackpot_of, moved, sell, settle, winnings_of
from totalizator.core import clock

pytestmark = pytest.mark.django_db

# A turnover of 10,000.00 makes a fund of 7,000.00; 10,000.00 are guaranteed.
FUND, GUARANTEE, SHORT = 700_000, 1_000_000, 300_000


def guaranteed(*, winners: int, **terms: Any) -> tuple[Pool, dict[str, Any]]:
    """A pool of ten bets of 1,000.00 each, settled with so many winners."""
    terms = {"price": {"line": 100_000}, "guarantee": {"all": GUARANTEE}, **terms}
    pool = make_pool("sportloto-variant", terms=terms)
    sell(pool, *[("1", 100_000)] * winners, *[("X", 100_000)] * (10 - winners))
    return pool, settle(pool, "1")


def organizers() -> int:
    """What the organizer has put in, above zero."""
    return -entries_balance(ledger_account(AccountKind.ORGANIZER))


def figures(pool: Pool) -> dict[str, int]:
    """The certificate's figures of the organizer's and the jackpot's money, which must hold."""
    certificate = money_certificate(pool)
    assert certificate is not None
    assert certificate.holds
    return {name: certificate.figures[name].ledger for name in ("fund", "added", "winnings", "jackpot_out")}


def reported(pool: Pool) -> dict[str, int]:
    """The same, by the report of pools."""
    today = clock.today()
    report = make_report("pools", today, today, {"pool": pool.code})
    return {name: int(report.column(name)[0]) for name in ("fund", "added", "jackpot_out")}


def test_j4_a_fund_of_7000_guaranteed_at_10000_costs_the_organizer_3000() -> None:
    pool, statement = guaranteed(winners=1)
    assert (statement["fund"], statement["added"], statement["jackpot_out"]) == (FUND, SHORT, 0)
    assert set(winnings_of(pool).values()) == {GUARANTEE}
    assert (moved(pool, TransferKind.TOP_UP), organizers(), jackpot_of(pool.game)) == (SHORT, SHORT, 0)
    assert figures(pool) == {"fund": FUND, "added": SHORT, "winnings": GUARANTEE, "jackpot_out": 0}
    assert reported(pool) == {"fund": FUND, "added": SHORT, "jackpot_out": 0}
    assert jackpot_history(pool.game) == []
    assert broken() == []


def test_j4_what_nobody_wins_is_carried_from_7000_and_the_guarantee_costs_nothing() -> None:
    pool, statement = guaranteed(winners=0)
    assert (statement["added"], statement["jackpot_out"]) == (0, FUND)
    assert (organizers(), jackpot_of(pool.game)) == (0, FUND)
    assert figures(pool) == {"fund": FUND, "added": 0, "winnings": 0, "jackpot_out": FUND}
    assert reported(pool) == {"fund": FUND, "added": 0, "jackpot_out": FUND}
    drawn = make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    sell(drawn, ("1", 100))
    assert settle(drawn, "1")["jackpot_in"] == FUND  # the next pool opens with 7,000.00, not with 10,000.00
    assert broken() == []


@pytest.mark.parametrize(
    ("greatest", "added", "jackpot"),
    [(500_000, 0, 200_000), (700_000, 0, 0), (800_000, 100_000, 0), (1_000_000, SHORT, 0)],
)
def test_j4_what_a_greatest_winning_cuts_off_is_the_organizers_before_it_is_the_jackpots(
    greatest: int, added: int, jackpot: int
) -> None:
    pool, statement = guaranteed(winners=1, max_dividend={"amount": greatest, "above": "jackpot"})
    assert (statement["added"], statement["jackpot_out"]) == (added, jackpot)
    assert set(winnings_of(pool).values()) == {greatest}
    assert (organizers(), jackpot_of(pool.game)) == (added, jackpot)
    assert figures(pool) == {"fund": FUND, "added": added, "winnings": greatest, "jackpot_out": jackpot}
    assert broken() == []


def test_j4_of_a_shared_guarantee_only_the_kopecks_of_rounding_go_on() -> None:
    pool, statement = guaranteed(winners=3)
    assert (statement["added"], statement["winnings"], statement["jackpot_out"]) == (SHORT, 999_999, 1)
    assert (organizers(), jackpot_of(pool.game)) == (SHORT, 1)  # D-6: the remainder of a level, always
    assert broken() == []


def test_a_fund_above_the_guarantee_costs_nothing() -> None:
    pool, statement = guaranteed(winners=1, guarantee={"all": FUND})
    assert (statement["added"], organizers()) == (0, 0)
    assert set(winnings_of(pool).values()) == {FUND}

"""Reports tie to the ledger, to the kopeck, on whatever days they are asked for (N1, N2, N3, ¶17)."""

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

import pytest
from django.utils import translation

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import CardState, PointKind, PrepaidCard
from accounts.services.card_expiry import expire_cards
from payouts.models import Payable, PayableState
from payouts.queries import jackpot_balance
from payouts.queries.guarantee import guarantee_sum
from payouts.queries.reports.shape import Report
from payouts.services.reports import REPORTS
from pools.models import Bet, Cancellation, Pool
from tests.carding import bought
from tests.desks import make_agent
from tests.making import make_player, make_pool, make_till
from tests.paying import go_to
from tests.refusals import refused
from tests.reporting import (
    by_ledger,
    jackpot_change,
    moved,
    owed_at,
    pool_by_ledger,
    random_days,
    report,
    today,
)
from tests.settling import sell, settle, statement_of
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

pytestmark = pytest.mark.django_db
HISTORIES, PERIODS = 8, 28  # 224 random periods in all
WAYS = {
    "cash at a betting point": AccountKind.TILL,
    "game account": AccountKind.GAME_ACCOUNT,
    "prepaid card": AccountKind.PREPAID_CARD,
}


def periods(chance: Random, first: date, last: date) -> list[tuple[date, date]]:
    """Single days and longer runs of days, the whole time among them."""
    days = (last - first).days
    found = [(first, last)]
    while len(found) < PERIODS:
        start = first + timedelta(days=chance.randint(0, days))
        found.append((start, min(last, start + timedelta(days=chance.choice((0, 0, 0, 1, 7, 30))))))
    return found


def tie(first: date, last: date, *, each_pool: bool) -> None:
    """Each figure of each report is the ledger's, in all and, where told, pool by pool."""
    since, until = start_of_legal_day(first), end_of_legal_day(last)
    sales, pools = report("sales", first, last), report("pools", first, last)
    whole = by_ledger(since, until)
    assert {name: sales.totals[name] for name in whole} == whole
    whole = pool_by_ledger(since, until)
    assert {name: pools.totals[name] for name in whole} == whole
    for channel, account in WAYS.items():
        sold = [row[5] for row in sales.rows if row[2] == channel]
        assert sum(int(cell) for cell in sold) == moved(since, until, TransferKind.STAKE, debit=account)
    for pool in Pool.objects.all() if each_pool else ():
        alone = report("pools", first, last, pool=pool.code)
        whole = pool_by_ledger(since, until, book=pool.pk)
        assert {name: alone.totals[name] for name in whole} == whole
        if alone.totals["takeout"]:
            stated = statement_of(pool)
            assert alone.totals["fund"] == stated["turnover"] - stated["refunds"] - stated["takeout"]
    owed = report("liabilities", first, last)
    assert owed.totals["owed"] == sum(owed_at(until, kind) for kind in guarantee_sum().parts)
    assert report("tax", first, last).totals["tax"] == whole_tax(first, last)
    jackpots = report("jackpots", first, last)
    assert jackpots.totals["came_in"] - jackpots.totals["went_out"] == jackpot_change(since, until)
    assert closing(jackpots) == owed_at(until, AccountKind.JACKPOT)
    assert voids(first, last) == sales.totals["voids"]


def whole_tax(first: date, last: date) -> int:
    return by_ledger(start_of_legal_day(first), end_of_legal_day(last))["tax"]


def closing(jackpots: Report) -> int:
    return sum(int(row[5]) for row in jackpots.rows if row[1] == "Closing balance")


def voids(first: date, last: date) -> int:
    rows = report("alterations", first, last).rows
    return sum(int(row[3]) for row in rows if str(row[1]).startswith("Bet "))


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_n1_every_figure_is_the_ledgers_on_random_days(seed: int) -> None:
    chance = Random(seed)
    tills = [make_till(10_000), make_till(10_000, kind=PointKind.AGENT, agent=make_agent("1/10"))]
    players = [make_player(3_000), make_player(3_000)]
    (card,) = bought(tills[0], face_value=2_000)
    first = today()
    random_days(chance, tills, players, card)
    for number, (since, until) in enumerate(periods(chance, first, today())):
        tie(since, until, each_pool=number % 7 == 0)
    assert report("liabilities", first, today()).totals["owed"] == guarantee_sum().required
    assert guarantee_sum().differing == []


def test_n1_a_day_in_figures() -> None:
    first, till = today(), make_till(1_000)
    pool = make_pool("sportloto-variant")
    sold_on = today()
    sell(pool, ("1", 100), ("1", 100), ("1", 100), ("X", 100))
    settle(pool, "1")
    settled_on = today()
    day = report("sales", sold_on, sold_on)
    assert [row[0] for row in day.rows] == [pool.code]
    assert (day.totals["bets"], day.totals["sales"], day.totals["winners"]) == (4, 400, 0)
    figures = report("pools", settled_on, settled_on).totals
    shown = ("fund", "takeout", "winners", "winnings", "unpaid", "jackpot_out", "paid", "sales")
    assert [figures[name] for name in shown] == [280, 120, 3, 279, 279, 1, 0, 0]
    nobody = report("sales", sold_on, sold_on, point=till.point.code)
    assert (list(nobody.rows), nobody.totals["sales"]) == ([], 0)
    assert report("sales", sold_on, sold_on, game="totolot-position").rows == []
    assert report("sales", first - timedelta(days=9), first - timedelta(days=2)).rows == []


def test_n3_every_change_stands_there_once_with_reason_and_person() -> None:
    chance, till = Random(3), make_till(10_000)
    (card,) = bought(till, face_value=2_000)
    first = today()
    for _ in range(3):
        random_days(chance, [till], [make_player(2_000)], card, pools=2)
    go_to(PrepaidCard.objects.get(pk=card.card.pk).expires_at)
    expire_cards()
    parting = first + timedelta(days=300)
    halves = [report("alterations", first, parting), report("alterations", parting + timedelta(days=1), today())]
    subjects = [cell for half in halves for cell in half.column("subject")]
    assert len(subjects) == len(set(subjects))
    expired = Payable.objects.filter(state=PayableState.EXPIRED).count()
    cards = PrepaidCard.objects.filter(state=CardState.EXPIRED).count()
    cancelled = Bet.objects.filter(pool__in=Cancellation.objects.values("pool")).count()
    texts = [str(text) for half in halves for text in half.column("change")]
    assert texts.count("Card expired") == cards == 1
    assert texts.count("Winning expired: nobody came for it in the term") == expired
    assert texts.count("Bet returned: the pool was cancelled") == cancelled
    assert all(cell for half in halves for cell in half.column("person"))
    whole = report("alterations", first, first + timedelta(days=365)).column("subject")
    assert whole == subjects[: len(whole)]


def test_the_jackpots_sources_are_told_one_by_one() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("X", 100), ("X", 100))
    settle(pool, "1")
    found = report("jackpots", today(), today())
    rows = [row for row in found.rows if row[0] == "sportloto"]
    assert rows == [
        ("sportloto", "Opening balance", 0, 0, 0, 0),
        ("sportloto", "Fund without winners (¶17.4, ¶38.1)", 1, 140, 0, 140),
        ("sportloto", "Closing balance", 0, 0, 0, 140),
    ]
    assert jackpot_balance("sportloto") == 140
    clock.move_clock(timedelta(days=1))
    later = [row for row in report("jackpots", today(), today()).rows if row[0] == "sportloto"]
    assert [row[5] for row in later] == [140, 140]


def test_what_cannot_be_asked_for_is_refused() -> None:
    day = today()
    asked = {
        "report": (Refusal.NOT_FOUND, lambda: report("chess", day, day)),
        "last": (Refusal.BAD_VALUE, lambda: report("sales", day, day - timedelta(days=1))),
        "point": (Refusal.BAD_VALUE, lambda: report("tax", day, day, point="P1")),
    }
    for field, (code, act) in asked.items():
        refusal = refused(act)
        assert (refusal.code, refusal.field) == (code, field)
    assert refused(lambda: report("sales", day, day + timedelta(days=366))).field == "last"
    assert set(REPORTS) >= {"sales", "pools", "liabilities", "alterations", "jackpots", "tax", "events", "insiders"}

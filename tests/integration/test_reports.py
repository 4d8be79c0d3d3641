"""Reports tie to the ledger, to the kopeck, on whatever days they are asked for (N1, N2, N3, ¶17)."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

import pytest
from django.utils import translation

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import CardState, PointKind, PrepaidCard
from accounts.services.card_expiry import expire_cards
from payouts.models import Payable, PayableState
from payouts.queries import jackpot_balance
from payouts.queries.guarantee import guarantee_sum
from payouts.queries.reports.liabilities import DEBTS
from payouts.queries.reports.shape import Report
from payouts.services.booking import book_payables
from payouts.services.reports import REPORTS
from pools.models import Bet, Cancellation, Pool
from tests.carding import bought
from tests.desks import make_agent
from tests.disputing import cancelled
from tests.making import make_player, make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.posting import bank, move, post_all
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
    told = [(row[2], row[1]) for half in halves for row in half.rows]
    assert len(told) == len(set(told))
    pools = Bet.objects.filter(pool__in=Cancellation.objects.values("pool"))
    changed = Counter(str(change) for _subject, change in told)
    assert changed["Card expired"] == PrepaidCard.objects.filter(state=CardState.EXPIRED).count() == 1
    assert changed["Winning expired: nobody came for it in the term"] == ended(PayableState.EXPIRED)
    assert changed["Bet returned: the pool was cancelled"] == pools.count()
    assert changed["Winning of a cancelled bet taken back, into the jackpot (¶29)"] == ended(PayableState.REVOKED)
    assert all(cell for half in halves for cell in half.column("person"))
    whole = report("alterations", first, first + timedelta(days=365)).column("subject")
    assert whole == [subject for subject, _change in told][: len(whole)]


def ended(state: PayableState) -> int:
    return Payable.objects.filter(state=state).count()


def test_n3_a_bet_that_is_cancelled_is_told_when_it_is_whatever_became_of_it() -> None:
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    slips = sell_slips(pool, till, *[("1", 100)] * 4, ("X", 100))
    early, paid, unpaid, lost = (slips[place].bet.ticket for place in (0, 1, 2, 4))
    cancelled(early)
    decided = today()
    settle(pool, "1")
    settled = today()
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(slips[1], till)
    go_to(start_of_legal_day(today() + timedelta(days=1)))
    days = [decided, settled, today()]
    for ticket in (paid, unpaid, lost):
        cancelled(ticket)
    stake = "Bet cancelled (¶29)"
    told = [{(row[2], str(row[1]), row[3]) for row in report("alterations", day, day).rows} for day in days]
    assert decided < settled < today()
    assert told[:2] == [{(early, stake, 100)}, set()]
    assert told[2] == {
        (paid, stake, 100),
        (unpaid, stake, 100),
        (lost, stake, 100),
        (paid, "Winning of a cancelled bet, to be given back by who was paid (¶29)", 88),
        (unpaid, "Winning of a cancelled bet taken back, into the jackpot (¶29)", 93),
    }
    for row in report("alterations", decided, today()).rows:
        assert row[4] == "Made by a member of the commission."
        assert len(str(row[5]).split(", ")) == 2  # the two people
    figures = report("sales", today(), today()).totals
    assert [figures[name] for name in ("voids", "revoked", "unreturned")] == [300, 93, 400]
    assert figures["unpaid"] == report("pools", today(), today(), pool=pool.code).totals["unpaid"] == 93
    tie(decided, today(), each_pool=True)


def test_n2_each_debt_of_the_guarantee_sum_is_in_the_report_and_nothing_else() -> None:
    """Open bets, unpaid tickets, cards, accounts, and whatever else players could ask for."""
    assert set(DEBTS) == set(guarantee_sum().parts)
    for number, kind in enumerate(DEBTS, start=1):
        post_all(move(f"debt-{kind}", bank(), ledger_account(kind, "one"), 100 + number))
    clock.move_clock(timedelta(days=1))
    owed = report("liabilities", today() - timedelta(days=9), today())
    assert [row[2:] for row in owed.rows] == [(1, 100 + number) for number in range(1, len(DEBTS) + 1)]
    assert (
        owed.totals["owed"] == guarantee_sum().required == sum(part.ledger for part in guarantee_sum().parts.values())
    )


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

"""A thousand days drawn out of some years of trade: what reports say of each is what the ledger says of it (N1, N2)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from itertools import accumulate
from random import Random

import pytest
from django.db import connection

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import PointKind
from payouts.queries.guarantee import guarantee_sum
from tests.carding import bought
from tests.desks import make_agent
from tests.making import make_player, make_till
from tests.reporting import INTO_JACKPOT, a_day_or_two, random_days, report, today
from totalizator.core import clock

pytestmark = pytest.mark.django_db

DAYS, SEASONS, POOLS = 1_000, 6, 5
Movements = Mapping[date, Mapping[tuple[str, str, str], int]]

_MOVED = """
SELECT (t.occurred_at AT TIME ZONE 'Europe/Minsk')::date, t.kind, d.kind, c.kind, sum(e.amount)::bigint
FROM accounts_entry e JOIN accounts_transfer t USING (book, key)
JOIN accounts_ledgeraccount d ON d.id = e.debit_id JOIN accounts_ledgeraccount c ON c.id = e.credit_id
GROUP BY 1, 2, 3, 4
"""


def live_through(chance: Random, days: int) -> date:
    """Trade for at least so many days, in seasons with desks, players and cards of their own; return the first day."""
    first = today()
    for season in range(1, SEASONS + 1):
        tills = [make_till(10_000), make_till(10_000, kind=PointKind.AGENT, agent=make_agent(f"{season}/10"))]
        players = [make_player(3_000), make_player(3_000)]
        (card,) = bought(tills[0], face_value=2_000)
        for _ in range(POOLS):
            random_days(chance, tills, players, card, pools=1)
            a_day_or_two(chance)
        left = season * days // SEASONS - (today() - first).days
        clock.move_clock(timedelta(days=max(left, 0) + 1))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # what a database does by itself, but not within a test's transaction
    return first


def movements() -> Movements:
    """All that the ledger moved: day → (kind, debited, credited) → kopecks."""
    found: defaultdict[date, Counter[tuple[str, str, str]]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(_MOVED)
        for day, kind, debit, credit, amount in cursor.fetchall():
            found[day][kind, debit, credit] += amount
    return found


def moved(of_day: Mapping[tuple[str, str, str], int], kinds: Iterable[TransferKind], *, credit: str = "") -> int:
    return sum(
        amount
        for (kind, _debit, credited), amount in of_day.items()
        if kind in set(map(str, kinds)) and credit in ("", credited)
    )


def balances(all_moved: Movements, days: list[date], account: AccountKind) -> Mapping[date, int]:
    """What all accounts of a kind of debt hold at the end of each day."""
    changes = (
        sum(
            amount * ((credit == account) - (debit == account))
            for (_kind, debit, credit), amount in all_moved.get(day, {}).items()
        )
        for day in days
    )
    return dict(zip(days, accumulate(changes), strict=True))


def by_ledger(of_day: Mapping[tuple[str, str, str], int]) -> Mapping[str, int]:
    return {
        "sales": moved(of_day, [TransferKind.STAKE]),
        "voids": moved(of_day, [TransferKind.REFUND, TransferKind.BET_CANCELLED]),
        "winnings": moved(of_day, [TransferKind.WINNINGS]),
        "paid": moved(of_day, [TransferKind.WINNING_PAID]),
        "tax": moved(of_day, [TransferKind.WINNING_PAID, TransferKind.REFUND_PAID], credit=AccountKind.TAX_DUE),
        "expired": moved(of_day, [TransferKind.JACKPOT_UNCLAIMED]),
        "revoked": moved(of_day, [TransferKind.JACKPOT_CANCELLED]),
        "returned": moved(of_day, [TransferKind.REFUND_PAID]),
    }


def of_pools(of_day: Mapping[tuple[str, str, str], int]) -> Mapping[str, int]:
    return {
        **by_ledger(of_day),
        "takeout": moved(of_day, [TransferKind.TAKEOUT]),
        "added": moved(of_day, [TransferKind.TOP_UP]),
        "jackpot_in": moved(of_day, [TransferKind.JACKPOT_DRAWN]),
        "jackpot_out": moved(of_day, INTO_JACKPOT),
    }


def test_n1_every_figure_of_a_thousand_random_days_is_the_ledgers() -> None:
    chance = Random(1_000)
    first = live_through(chance, DAYS)
    days = [first + timedelta(days=number) for number in range((today() - first).days + 1)]
    all_moved = movements()
    assert all_moved.keys() <= set(days)
    unpaid = balances(all_moved, days, AccountKind.WINNINGS_DUE)
    unreturned = balances(all_moved, days, AccountKind.REFUNDS_DUE)
    debts = [balances(all_moved, days, kind) for kind in guarantee_sum().parts]
    seen: Counter[str] = Counter()
    whole: Mapping[str, int] = {}
    drawn = chance.sample(days, DAYS)
    for day in drawn:
        of_day = all_moved.get(day, {})
        at_the_end = {"unpaid": unpaid[day], "unreturned": unreturned[day]}
        sales, pools = report("sales", day, day).totals, report("pools", day, day).totals
        whole = {**by_ledger(of_day), **at_the_end}
        assert {name: sales[name] for name in whole} == whole, day
        whole = {**of_pools(of_day), **at_the_end}
        assert {name: pools[name] for name in whole} == whole, day
        assert report("liabilities", day, day).totals["owed"] == sum(debt[day] for debt in debts), day
        seen += Counter(name for name, amount in whole.items() if amount)
    assert len(set(drawn)) == DAYS
    assert seen.keys() == whole.keys(), "each figure is tried on some day"
    assert report("liabilities", today(), today()).totals["owed"] == guarantee_sum().required

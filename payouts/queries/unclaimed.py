"""Money that waits for who brings a ticket: in public totals by pool and point, tied to the ledger (X10)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import caches
from django.db import connection

from totalizator.engine.deadlines import legal_day

FRESH_SECONDS = 60
_UNCLAIMED = """
SELECT p.code, COALESCE(b.code, ''), COALESCE(b.name, ''), min(y.payable_until), count(*),
       COALESCE(sum(y.amount) FILTER (WHERE y.kind <> 'refund'), 0),
       COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'refund'), 0)
FROM payouts_payable y
JOIN pools_pool p ON p.id = y.pool_id
JOIN pools_bet x ON x.pool_id = y.pool_id AND x.ticket = y.ticket
LEFT JOIN accounts_till t ON t.id = x.till_id
LEFT JOIN accounts_bettingpoint b ON b.id = t.point_id
WHERE y.state = 'due' AND y.pay_to_id IS NULL AND y.payable_from <= %s
GROUP BY p.code, b.code, b.name
ORDER BY p.code, 2
"""


@dataclass(frozen=True, slots=True)
class UnclaimedMoney:
    """What is payable now at tills on tickets of one pool that one point sold; kopecks before tax."""

    pool: str
    point: str
    point_name: str
    payable_until: datetime | None
    tickets: int
    winnings: int
    refunds: int


def unclaimed_money(now: datetime) -> Sequence[UnclaimedMoney]:
    """Return every pool and point whose tickets are payable by `now` and not paid; an empty point: sold at none."""
    with connection.cursor() as cursor:
        cursor.execute(_UNCLAIMED, [now])
        return [
            UnclaimedMoney(pool, point, name, until, int(tickets), int(winnings), int(refunds))
            for pool, point, name, until, tickets, winnings, refunds in cursor.fetchall()
        ]


@dataclass(frozen=True, slots=True)
class UnclaimedSum:
    """The same of one pool, one point or one last day; `until` is the earliest end of a term in it."""

    key: str
    name: str
    until: datetime | None
    tickets: int
    winnings: int
    refunds: int

    @property
    def amount(self) -> int:
        """What waits, in kopecks before tax."""
        return self.winnings + self.refunds


def unclaimed_lately(now: datetime) -> Sequence[UnclaimedMoney]:
    """Return what `unclaimed_money` did at most a minute ago in this process."""
    cache, key = caches["process"], "unclaimed-money"
    known: Sequence[UnclaimedMoney] | None = cache.get(key)
    if known is None:
        known = unclaimed_money(now)
        cache.set(key, known, FRESH_SECONDS)
    return known


def summed_by_pool(found: Iterable[UnclaimedMoney]) -> list[UnclaimedSum]:
    """Sum by pool, what ends first before all else."""
    return sorted(_summed((money.pool, "", money) for money in found), key=_ends_first)


def summed_by_point(found: Iterable[UnclaimedMoney]) -> list[UnclaimedSum]:
    """Sum by the point that sold the tickets, the largest sum first."""
    sums = _summed((money.point, money.point_name, money) for money in found)
    return sorted(sums, key=lambda each: (-each.amount, each.key))


def summed_by_term(found: Iterable[UnclaimedMoney]) -> list[UnclaimedSum]:
    """Sum by the last day on which it is paid, the earliest first; `key` is that day, empty for no end."""
    return sorted(_summed((_last_day(money.payable_until), "", money) for money in found), key=_ends_first)


def _summed(keyed: Iterable[tuple[str, str, UnclaimedMoney]]) -> list[UnclaimedSum]:
    sums: dict[str, UnclaimedSum] = {}
    for key, name, money in keyed:
        sofar = sums.get(key, UnclaimedSum(key, name, None, 0, 0, 0))
        ends = [end for end in (sofar.until, money.payable_until) if end is not None]
        sums[key] = UnclaimedSum(
            key,
            name,
            min(ends, default=None),
            sofar.tickets + money.tickets,
            sofar.winnings + money.winnings,
            sofar.refunds + money.refunds,
        )
    return list(sums.values())


def _last_day(until: datetime | None) -> str:
    return legal_day(until - timedelta(microseconds=1)).isoformat() if until is not None else ""


def _ends_first(each: UnclaimedSum) -> tuple[bool, float, str]:
    return each.until is None, each.until.timestamp() if each.until is not None else 0.0, each.key

"""What happened on a legal day, summed by kind of event: from what was told, and from the books (U1).

Both sums are made of different rows: the events, and the bets and transfers themselves. They must be equal.
"""

from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from typing import Any

from django.db import connection

from pools.models import ToldBets
from totalizator.core.models import OutboxEvent, PendingEvent
from totalizator.core.outbox_kinds import EventKind
from totalizator.engine.canonical import digest_name
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

Totals = Mapping[str, Mapping[str, int]]

_TOLD = """
SELECT kind, count(*), COALESCE(sum((payload->>'count')::bigint), 0)::bigint,
       COALESCE(sum((payload->>'amount')::bigint), 0)::bigint
FROM core_outboxevent WHERE at >= %(from)s AND at < %(to)s GROUP BY kind
"""

# Each figure of the books beside the kind of event that tells of it.
_BOOKED = """
WITH moved AS (
    SELECT t.kind, t.book, t.key, e.amount, c.kind AS credited, d.kind AS debited
    FROM accounts_transfer t JOIN accounts_entry e USING (book, key)
    JOIN accounts_ledgeraccount c ON c.id = e.credit_id JOIN accounts_ledgeraccount d ON d.id = e.debit_id
    WHERE t.occurred_at >= %(from)s AND t.occurred_at < %(to)s AND t.kind <> 'stake'
)
SELECT 'bets.registered', count(*), COALESCE(sum(stake), 0)::bigint FROM pools_bet
WHERE registered_at >= %(from)s AND registered_at < %(to)s
UNION ALL
SELECT CASE kind WHEN 'winning_paid' THEN 'winnings.paid' WHEN 'refund_paid' THEN 'refunds.paid'
                 WHEN 'jackpot_unclaimed' THEN 'winnings.expired' WHEN 'card_sold' THEN 'cards.sold'
                 WHEN 'cash_sent' THEN 'cash.sent' WHEN 'cash_received' THEN 'cash.received' END,
       count(DISTINCT (book, key)), sum(amount)::bigint
FROM moved
WHERE kind IN ('winning_paid', 'refund_paid', 'jackpot_unclaimed', 'card_sold', 'cash_sent', 'cash_received')
GROUP BY 1
UNION ALL
SELECT 'tax.withheld', count(DISTINCT (book, key)), COALESCE(sum(amount), 0)::bigint FROM moved
WHERE credited = 'tax_due' AND kind IN ('winning_paid', 'refund_paid')
UNION ALL
SELECT 'jackpot.moved', COALESCE(sum((credited = 'jackpot')::int + (debited = 'jackpot')::int), 0)::bigint,
       COALESCE(sum(amount * ((credited = 'jackpot')::int - (debited = 'jackpot')::int)), 0)::bigint
FROM moved WHERE 'jackpot' IN (credited, debited)
"""
BOOKED = (
    EventKind.BETS_REGISTERED,
    EventKind.WINNINGS_PAID,
    EventKind.WINNINGS_EXPIRED,
    EventKind.REFUNDS_PAID,
    EventKind.TAX_WITHHELD,
    EventKind.CARDS_SOLD,
    EventKind.CASH_SENT,
    EventKind.CASH_RECEIVED,
    EventKind.JACKPOT_MOVED,
)


def told_totals(day: date) -> Totals:
    """Return, by kind, how many events told of the day, and the sums of their `count` and `amount`."""
    rows = _rows(_TOLD, day)
    return {kind: {"events": events, "count": count, "amount": amount} for kind, events, count, amount in rows}


def booked_totals(day: date) -> Totals:
    """Return, for each kind of BOOKED, how many there were and their sum, by bets and ledger."""
    found = {kind: {"count": count, "amount": amount} for kind, count, amount in _rows(_BOOKED, day)}
    return {kind: found.get(kind, {"count": 0, "amount": 0}) for kind in BOOKED}


def untold(day: date) -> list[str]:
    """Return the kinds of which more or less was told of a day than the books have."""
    told, booked = told_totals(day), booked_totals(day)
    nothing = {"count": 0, "amount": 0}
    return [
        kind
        for kind in BOOKED
        if any(told.get(kind, nothing)[figure] != booked[kind][figure] for figure in ("count", "amount"))
    ]


def day_is_numbered(day: date) -> bool:
    """Tell whether everything done on the day has its number, so that its sums are final."""
    end = end_of_legal_day(day)
    told_of_all_bets = ToldBets.objects.filter(until__gte=end).exists()
    return told_of_all_bets and not PendingEvent.objects.filter(at__lt=end).exists()


def day_digest(day: date, kinds: list[str]) -> tuple[str, int]:
    """Return the digest of the `chain` of every event of the day of these kinds (all), and the last number, or 0."""
    events = OutboxEvent.objects.filter(at__gte=start_of_legal_day(day), at__lt=end_of_legal_day(day)).order_by(
        "sequence"
    )
    events = events.filter(kind__in=kinds) if kinds else events
    running, last = sha256(), 0
    for sequence, chain in events.values_list("sequence", "chain").iterator():
        running.update(chain.encode())
        last = sequence
    return digest_name(running.digest()), last


def _rows(query: str, day: date) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"from": start_of_legal_day(day), "to": end_of_legal_day(day)})
        return list(cursor.fetchall())

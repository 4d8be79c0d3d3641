"""How the bets of a huge pool are cut into ranges, and whether all ranges are there."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import connection

from pools.models import Commitment, Pool, Protocol, SettlingRange
from pools.queries.tally import RangeCount
from pools.queries.winning_lines import Span
from totalizator.engine.canonical import canonical_json, digest, parse_json

# Of every chunk of the tree over the bets the first one. Their tickets tell nothing of the time: it is a fair sample.
_SAMPLE_SQL = """
SELECT b.registered_at FROM pools_betchunk c JOIN pools_bet b ON b.pool_id = c.pool_id AND b.ticket = c.first_ticket
WHERE c.pool_id = %s ORDER BY 1
"""


def ranges_wanted(pool: Pool) -> int:
    """Return into how many ranges the pool's sealed bets are to be cut; 1 when one statement is to do all."""
    text = Commitment.objects.filter(pool=pool).values_list("document_text", flat=True).first()
    count = 0 if text is None else parse_json(text.encode(), where="commitment.json")["count"]
    if count < settings.SETTLE_BY_RANGES_FROM:
        return 1
    return int(-(-count // settings.SETTLING_RANGE_BETS))


def spans_of(pool: Pool, wanted: int) -> list[Span]:
    """Cut all time into spans with about as many of the pool's sealed bets in each; there can be fewer than wanted."""
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLE_SQL, [pool.pk])
        sample: list[datetime] = [registered_at for (registered_at,) in cursor.fetchall()]
    cuts = sorted({sample[len(sample) * number // wanted] for number in range(1, wanted)} if sample else ())
    return [Span(since, before) for since, before in zip([None, *cuts], [*cuts, None], strict=True)]


def counting_basis(protocol: Protocol, cancelled: Sequence[str]) -> str:
    """Return the digest of what bets are counted by: what was counted by anything else does not count."""
    document = {"protocol": digest(protocol.document_text.encode()), "cancelled": list(cancelled)}
    return digest(canonical_json(document))


def counted_ranges(pool: Pool, basis: str) -> list[RangeCount] | None:
    """Return what was counted of each range, or None unless it is all bets, each of them once, by that basis."""
    ranges = list(SettlingRange.objects.filter(pool=pool))
    whole = covers_all_time(ranges)
    if not whole or any(each.counted is None or each.basis != basis for each in ranges):
        return None
    return [RangeCount(**each.counted) for each in ranges if each.counted is not None]


def covers_all_time(ranges: Sequence[SettlingRange]) -> bool:
    """Tell whether every instant is in one of the ranges, and in no other."""
    first = [each for each in ranges if each.since is None]
    others = {each.since: each for each in ranges if each.since is not None}
    if len(first) != 1 or len(ranges) != 1 + len(others):
        return False
    passed, at = 1, first[0].before
    while at is not None and at in others:
        passed, at = passed + 1, others.pop(at).before
    return at is None and passed == len(ranges)

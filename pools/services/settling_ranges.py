"""Settling a huge pool by ranges of its bets: any number of workers, on any number of machines, the same rows (H3).

Each range is counted in a short transaction of its own. When all are there, the engine divides their sum, once, under
the pool's lock. Then each range's winnings are written, again on its own. What is done is marked by the transaction
that does it. So a message that comes twice, late or never, and a worker that is killed, change nothing but the time.
"""

from contextlib import suppress
from dataclasses import asdict

from pools.locks import find_pool, lock_pool, lock_settling_range
from pools.models import Pool, Settlement, SettlementState, SettlingRange
from pools.queries.cancelled_bets import cancelled_tickets
from pools.queries.settling_ranges import counted_ranges, counting_basis, covers_all_time, ranges_wanted, spans_of
from pools.queries.tally import RangeCount, count_range, put_together, winners_among
from pools.queries.winning_lines import Span
from pools.queries.winnings import insert_winnings, rows_and_sum
from pools.services.calculating import (
    divided,
    journal_calculation,
    refuse_wrong_rows,
    sealed_of,
    store_settlement,
)
from pools.services.settlement_money import BrokenIdentity, refuse_unbalanced, reserve_jackpot
from pools.snapshots.result import sealed_protocol
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.errors import DomainError
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import parse_json
from totalizator.engine.dividends import divide
from totalizator.engine.result import parse_result
from totalizator.engine.statement import Statement
from totalizator.engine.tally import parse_tally

HELP = "pools.tasks.help_settling"
HELP_EXPIRES = 60
"""Seconds: a call for help that nobody has followed by then is made again by the next tick."""
MOST_HELPERS = 64


def is_settled_by_ranges(pool: Pool) -> bool:
    """Tell whether a pool is so large, or its settlement was begun so."""
    settlement = Settlement.objects.filter(pool=pool).first()
    if settlement is not None:
        return settlement.state == SettlementState.WRITING
    return ranges_wanted(pool) > 1 or SettlingRange.objects.filter(pool=pool).exists()


def calculate_by_ranges(*, code: str, actor: str) -> Settlement:
    """Calculate a settlement as `calculate_settlement` does, with the help of whoever is free.

    :raises DomainError: as `calculate_settlement`; BUSY when a helper takes too long: the next run goes on.
    """
    _cut(code)
    while True:
        settlement = _work(code, actor, wait=True)
        if settlement is not None:
            return settlement
        _cut(code)  # what bets are counted by has changed meanwhile


def help_settling(*, code: str, actor: str) -> None:
    """Count and write what nobody else is at, until there is no more of it."""
    with suppress(DomainError):  # whoever settles the pool meets the same, and tells of it
        _work(code, actor, wait=False)


def _work(code: str, actor: str, *, wait: bool) -> Settlement | None:
    """Do one range after the other; return the settlement once it is calculated, None when it is others' turn."""
    pool = find_pool(code)
    while True:
        settlement = Settlement.objects.filter(pool=pool).first()
        if settlement is None:
            gone_on = _count_range(pool, wait=wait) or _divide(code)
        elif settlement.state == SettlementState.WRITING:
            gone_on = _write_range(pool, settlement, wait=wait) or _finish(code, actor)
        else:
            return settlement
        if not gone_on:
            return None


def _cut(code: str) -> None:
    """Cut the pool's bets into ranges, unless it is done and holds, and call for help."""
    with one_transaction():
        pool = lock_pool(code)
        if not Settlement.objects.filter(pool=pool).exists():
            protocol, _bets_digest = sealed_of(pool)
            basis = counting_basis(protocol, cancelled_tickets(pool))
            ranges = list(SettlingRange.objects.filter(pool=pool))
            if not covers_all_time(ranges) or any(each.basis != basis for each in ranges):
                SettlingRange.objects.filter(pool=pool).delete()
                SettlingRange.objects.bulk_create(
                    SettlingRange(pool=pool, number=number, since=span.since, before=span.before, basis=basis)
                    for number, span in enumerate(spans_of(pool, ranges_wanted(pool)))
                )
        _call_for_help(pool)


def _call_for_help(pool: Pool) -> None:
    """Ask for as many helpers as there are ranges beside the own one; who finds nothing to do goes."""
    for _helper in range(min(SettlingRange.objects.filter(pool=pool).count() - 1, MOST_HELPERS)):
        enqueue_after_commit(HELP, pool.code, expires=HELP_EXPIRES)


def _count_range(pool: Pool, *, wait: bool) -> bool:
    """Count a range that is not counted; return whether there is more to be looked at, at once."""
    with one_transaction():
        taken = _take(pool, wait=wait, counted__isnull=True)
        if taken is None:
            return wait and _lacking(pool, counted__isnull=True)
        protocol, cancelled = sealed_protocol(pool), cancelled_tickets(pool)
        if protocol is None or taken.basis != counting_basis(protocol, cancelled):
            return False
        result = parse_result(pool.terms, protocol.document_text.encode())
        taken.counted = asdict(count_range(pool, result, cancelled, _span_of(taken)))
        taken.save(update_fields=["counted"])
    return True


def _divide(code: str) -> bool:
    """Divide the sum of all ranges, once, under the pool's lock; return whether it is divided."""
    with one_transaction():
        pool = lock_pool(code)
        if Settlement.objects.filter(pool=pool).exists():
            return True
        protocol, bets_digest = sealed_of(pool)
        cancelled = cancelled_tickets(pool)
        counts = counted_ranges(pool, counting_basis(protocol, cancelled))
        if counts is None:
            return False
        at = clock.now()
        jackpot_in = reserve_jackpot(pool, at=at, cause=f"protocol:{protocol.number}")
        result = parse_result(pool.terms, protocol.document_text.encode())
        counted = put_together(pool, result, cancelled, counts, jackpot_in=jackpot_in)
        statement = divided(pool, result, counted, bets_digest)
        refuse_unbalanced(pool, statement)
        store_settlement(pool, protocol, counted, statement, at=at, state=SettlementState.WRITING)
        _call_for_help(pool)
    return True


def _write_range(pool: Pool, settlement: Settlement, *, wait: bool) -> bool:
    """Write the winnings of a range that has none yet; return whether there is more to be looked at, at once."""
    with one_transaction():
        taken = _take(pool, wait=wait, written=False)
        if taken is None:
            return wait and _lacking(pool, written=False)
        protocol = sealed_protocol(pool)
        assert protocol is not None
        result = parse_result(pool.terms, protocol.document_text.encode())
        assert taken.counted is not None
        winners = winners_among(pool, result, cancelled_tickets(pool), [RangeCount(**taken.counted)])
        insert_winnings(pool, winners, _money_of(pool, settlement), span=_span_of(taken))
        taken.written = True
        taken.save(update_fields=["written"])
    return True


def _finish(code: str, actor: str) -> bool:
    """Make the settlement a calculated one when all ranges are written, under the pool's lock.

    :raises BrokenIdentity: when the rows are not what was divided.
    """
    with one_transaction():
        pool = lock_pool(code)
        settlement = Settlement.objects.get(pool=pool)
        if settlement.state != SettlementState.WRITING:
            return True
        ranges = list(SettlingRange.objects.filter(pool=pool))
        if not all(each.written for each in ranges):
            return False
        if not covers_all_time(ranges):
            raise BrokenIdentity(f"pool {code}: a range of its bets is not there")
        protocol = sealed_protocol(pool)
        assert protocol is not None
        statement = _money_of(pool, settlement)
        refuse_wrong_rows(pool, statement)
        SettlingRange.objects.filter(pool=pool).delete()
        settlement.state = SettlementState.CALCULATED
        settlement.save(update_fields=["state"])
        rows, _sum = rows_and_sum(pool)
        late = len(parse_json(settlement.statement_text.encode(), where="statement.json")["late"])
        journal_calculation(settlement, protocol, rows=rows, winnings=statement.winnings, late=late, actor=actor)
    return True


def _take(pool: Pool, *, wait: bool, **undone: object) -> SettlingRange | None:
    """Take a range that nobody has; with `wait` and all of them taken, wait for the first."""
    taken = lock_settling_range(pool.pk, wait=False, **undone)
    if taken is not None or not wait:
        return taken
    return lock_settling_range(pool.pk, wait=True, **undone)


def _lacking(pool: Pool, **undone: object) -> bool:
    return SettlingRange.objects.filter(pool=pool, **undone).exists()


def _span_of(taken: SettlingRange) -> Span:
    return Span(taken.since, taken.before)


def _money_of(pool: Pool, settlement: Settlement) -> Statement:
    """Divide the stored tally again: the money of every level, which is all that winnings are written from."""
    return divide(pool.terms, parse_tally(pool.terms, settlement.tally_text.encode()))

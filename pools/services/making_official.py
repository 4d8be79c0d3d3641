"""Making a settlement official: money leaves the pot, the terms of claim begin, all in one transaction (H3)."""

from datetime import datetime, timedelta

from pools.models import Computed, Pool, PoolState, Settlement, SettlementState, move
from pools.queries.winnings import rows_and_sum
from pools.services.publishing import publish_settlement
from pools.services.settlement_money import BrokenIdentity, post_settlement
from pools.snapshots.result import sealed_protocol
from totalizator.core.journal import write_journal
from totalizator.core.legal import non_working_days
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.releases import running_release
from totalizator.engine.canonical import parse_json
from totalizator.engine.deadlines import ClaimTerm, claim_term, legal_day
from totalizator.engine.statement import Statement

# The longest term and the longest run of days off after it lie well within.
CALENDAR_AHEAD = timedelta(days=366)


def make_official(
    pool: Pool, settlement: Settlement, statement: Statement, *, at: datetime, manifest_text: str, actor: str
) -> None:
    """Post the settlement's money, journal it as one batch (C25), and mark pool and settlement; the pool is locked.

    :raises BrokenIdentity: when the rows or the pot do not agree with the statement.
    """
    protocol = sealed_protocol(pool)
    assert protocol is not None
    assert protocol.sealed_at is not None
    rows, total = rows_and_sum(pool)
    if total != statement.winnings:
        raise BrokenIdentity(f"pool {pool.code}: rows of {total} for winnings of {statement.winnings}")
    post_settlement(pool, statement, at=at, cause=f"protocol:{protocol.number}")
    mark_official(pool, settlement, at=at, sealed_at=protocol.sealed_at, manifest_text=manifest_text)
    settlement.save()
    move(pool, PoolState.SETTLED)
    sums = {"protocol": protocol.number, "rows": rows, **sums_of(statement)}
    proved = {
        "files": parse_json(manifest_text.encode(), where="manifest.json")["files"],
        "release": settlement.release,
    }
    write_journal(at=at, actor=actor, act="settle_pool", subject=f"pool:{pool.code}", after=sums | proved)
    tell(EventKind.POOL_STATEMENT, f"pool:{pool.code}", sums, at=at)
    publish_settlement(pool, settlement, at=at)


def mark_official(pool: Pool, computed: Computed, *, at: datetime, sealed_at: datetime, manifest_text: str) -> None:
    """Make a settlement, or a correction, official, with its term of claim; it is not saved yet."""
    term = _claim_term(pool, sealed_at=sealed_at, official_at=at)
    computed.state, computed.difference = SettlementState.OFFICIAL, ""
    computed.official_at, computed.manifest_text = at, manifest_text
    computed.payable_from, computed.payable_until = term.payable_from, term.payable_until
    computed.release = running_release().digest


def sums_of(statement: Statement) -> dict[str, int | None]:
    """Return the sums of a statement, in kopecks, as they are journalled and told."""
    return {
        "winnings": statement.winnings,
        "refunds": statement.refunds,
        "takeout": statement.takeout,
        "added": statement.added,
        "jackpot_in": statement.jackpot_in,
        "jackpot_out": statement.jackpot_out,
    }


def _claim_term(pool: Pool, *, sealed_at: datetime, official_at: datetime) -> ClaimTerm:
    """Count from the protocol in Sportloto (¶12, D-2), in Totolot from the coefficient's determination (¶40, D-4)."""
    determined_at = sealed_at if pool.game.startswith("sportloto-") else official_at
    first = legal_day(determined_at)
    return claim_term(pool.game, determined_at, non_working_days(first, first + CALENDAR_AHEAD))

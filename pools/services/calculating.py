"""Calculating a settlement: one transaction, in which PostgreSQL counts and writes and the engine divides (H3, I9)."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from pools.locks import lock_pool
from pools.models import Commitment, Pool, PoolState, Protocol, Settlement, SettlementState, Winning
from pools.queries.tally import CountedPool, count_pool
from pools.queries.winnings import Rows, insert_winnings, sums_of_levels
from pools.services.settlement_money import BrokenIdentity, refuse_unbalanced, reserve_jackpot
from pools.snapshots.result import sealed_protocol
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.dividends import divide
from totalizator.engine.result import Result, parse_result
from totalizator.engine.statement import Statement, statement_document
from totalizator.engine.tally import tally_document


def calculate_settlement(*, code: str, actor: str) -> Settlement:
    """Count a resulted pool, divide its money and write its winnings; nothing is paid yet.

    Once calculated it stands: a second call returns the same settlement. The jackpot is reserved for a pool that draws
    it, so that no other pool can take it meanwhile.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless the result is sealed and the bets are committed to, and while a
        correcting protocol waits for its signatures (H5).
    """
    with one_transaction():
        pool = lock_pool(code)
        standing = Settlement.objects.filter(pool=pool).first()
        if standing is not None:
            return standing
        protocol, bets_digest = sealed_of(pool)
        at = clock.now()
        jackpot_in = reserve_jackpot(pool, at=at, cause=f"protocol:{protocol.number}")
        result = parse_result(pool.terms, protocol.document_text.encode())
        counted = count_pool(pool, result, jackpot_in=jackpot_in)
        statement = divided(pool, result, counted, bets_digest)
        refuse_unbalanced(pool, statement)
        settlement = store_settlement(pool, protocol, counted, statement, at=at)
        rows = insert_winnings(pool, counted.winners, statement)
        refuse_wrong_rows(pool, statement)
        journal_calculation(
            settlement, protocol, rows=rows, winnings=statement.winnings, late=len(statement.late), actor=actor
        )
    return settlement


def store_settlement(
    pool: Pool,
    protocol: Protocol,
    counted: CountedPool,
    statement: Statement,
    *,
    at: datetime,
    state: str = SettlementState.CALCULATED,
) -> Settlement:
    """Store what was counted and divided, as the exact texts of the public files."""
    return Settlement.objects.create(
        pool=pool,
        version=protocol.version,
        state=state,
        state_text=json_file(state_of(counted)).decode(),
        tally_text=json_file(tally_document(counted.tally)).decode(),
        statement_text=json_file(statement_document(statement)).decode(),
        jackpot_in=counted.tally.jackpot_in,
        calculated_at=at,
    )


def journal_calculation(
    settlement: Settlement, protocol: Protocol, *, rows: int, winnings: int | None, late: int, actor: str
) -> None:
    """Journal a calculated settlement: how many winnings were written, and their sum in kopecks."""
    write_journal(
        at=settlement.calculated_at,
        actor=actor,
        act="calculate_settlement",
        subject=f"pool:{settlement.pool.code}",
        after={
            "protocol": protocol.number,
            "rows": rows,
            "winnings": winnings,
            "late": late,
            "jackpot_in": settlement.jackpot_in,
            "state": parse_json(settlement.state_text.encode(), where="state.json"),
        },
    )


def state_of(counted: CountedPool) -> dict[str, Any]:
    """Return state.json: what came into the pool from before, and the bets cancelled by now (¶29)."""
    return {"jackpot_in": counted.tally.jackpot_in, "carried": {}, "cancelled": list(counted.cancelled)}


def refuse_wrong_rows(pool: Pool, statement: Statement, rows: Rows = Winning) -> None:
    """Check that the written rows are what the engine divided, level by level.

    :raises BrokenIdentity: when a level's lines or sum differ.
    """
    planned = {level.code: (level.lines, level.paid) for level in statement.levels if level.live}
    written = sums_of_levels(pool, rows)
    if planned != written:
        raise BrokenIdentity(f"pool {pool.code}: planned {planned}, written {written}")


def sealed_of(pool: Pool) -> tuple[Protocol, str]:
    """Return the sealed protocol, and the digest of the bets that the commitment sealed at closing.

    :raises DomainError: WRONG_STATE as `calculate_settlement`.
    """
    protocol = sealed_protocol(pool)
    if protocol is not None and pool.protocols.filter(version__gt=protocol.version).exists():
        raise DomainError(Refusal.WRONG_STATE, _("A correcting protocol is being signed."), state=pool.state)
    commitment = Commitment.objects.filter(pool=pool).first()
    if pool.state != PoolState.RESULTED or protocol is None or commitment is None:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("Only a pool with a sealed result and sealed bets can be settled."),
            state=pool.state,
        )
    return protocol, bets_digest_of(commitment)


def bets_digest_of(commitment: Commitment) -> str:
    """Return the digest of the bets that were sealed at closing."""
    return str(parse_json(commitment.document_text.encode(), where="commitment.json")["bets"])


def divided(pool: Pool, result: Result, counted: CountedPool, bets_digest: str) -> Statement:
    """Divide what was counted, as the engine does from the files."""
    return divide(
        pool.terms,
        counted.tally,
        late=counted.late,
        cancelled=counted.cancelled,
        void=[condition.code for condition in pool.terms.conditions if condition.code in result.void],
        bets_digest=bets_digest,
    )

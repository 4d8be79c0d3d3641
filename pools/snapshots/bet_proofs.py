"""A bet's path to the committed root, from one chunk of the pool's bets and the roots of the others (X2)."""

from dataclasses import dataclass

from django.db import connection

from pools.models import Bet, BetChunk, Commitment
from pools.snapshots.bets import bets_between
from pools.snapshots.pool_archives import archived_lines, is_archived
from pools.snapshots.sealing import CHUNK
from totalizator.engine.canonical import parse_json
from totalizator.engine.merkle import inclusion_path, leaf_hash

# By the order of bytes, which is that of the chunks' numbers.
_CHUNK = """
SELECT number, first_ticket FROM pools_betchunk
WHERE pool_id = %s AND first_ticket COLLATE "C" <= %s ORDER BY number DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class BetProof:
    """Where a bet's line stands among the committed ones, and what leads from it to the root."""

    line: bytes
    index: int
    count: int
    path: tuple[bytes, ...]
    root: bytes


def proof_of(bet: Bet, commitment: Commitment) -> BetProof:
    """Prove that the bet is among those that its pool's commitment seals.

    It reads as many bets as a chunk has, and one root for each chunk, however large the pool.
    """
    number, first = _chunk_of(bet)
    chunks = list(BetChunk.objects.filter(pool_id=bet.pool_id).order_by("number").values_list("first_ticket", "root"))
    after = chunks[number + 1][0] if number + 1 < len(chunks) else None
    archived = is_archived(bet.pool)
    lines = archived_lines(bet.pool, number) if archived else list(bets_between(bet.pool, first, after))
    place = next(place for place, line in enumerate(lines) if line.startswith(bet.ticket.encode() + b","))
    inside = inclusion_path([leaf_hash(line) for line in lines], place)
    outside = inclusion_path([bytes(root) for _ticket, root in chunks], number)
    sealed = parse_json(commitment.document_text.encode(), where="commitment.json")
    return BetProof(
        line=lines[place],
        index=number * CHUNK + place,
        count=sealed["count"],
        path=(*inside, *outside),
        root=bytes.fromhex(sealed["merkle_root"]),
    )


def _chunk_of(bet: Bet) -> tuple[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(_CHUNK, [bet.pool_id, bet.ticket])
        number, first = cursor.fetchone()
    return number, first

"""The chunks of bets.csv: their first tickets and the roots over them (X2).

A chunk has 2^10 bets, so it is a full subtree of the tree over all of them, and the tree over the chunks' roots has the
same root as the tree over the bets.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from pools.models import BetChunk, Pool
from totalizator.engine.merkle import MerkleTree, leaf_hash

CHUNK = 1024


def chunks_of(pool: Pool, bets: Path) -> Iterator[BetChunk]:
    """Yield the pool's chunks, not stored, as its bets.csv has them."""
    with bets.open("rb") as file:
        next(file)
        number = 0
        while lines := list(islice(file, CHUNK)):
            tree = MerkleTree()
            tree.extend([leaf_hash(line[:-1]) for line in lines])
            ticket = lines[0].partition(b",")[0].decode()
            yield BetChunk(pool=pool, number=number, first_ticket=ticket, root=tree.root())
            number += 1


def root_of_chunks(chunks: Sequence[BetChunk]) -> bytes:
    """Return the root over all bets."""
    tree = MerkleTree()
    tree.extend([bytes(chunk.root) for chunk in chunks])
    return tree.root()

"""A player's proof: the bet's line, and the path from it to the root published at closing."""

from pathlib import Path
from typing import BinaryIO

from totalizator.engine import bundle
from totalizator.engine.bets import TICKET
from totalizator.engine.columns import blocks
from totalizator.engine.counting import count_bets
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.merkle import MerkleTree, leaf_hash, verify_inclusion
from totalizator.engine.settlement import open_bets
from totalizator.engine.terms import parse_terms


def prove(directory: str | Path, ticket: str) -> dict[str, object]:
    """Prove that a ticket's line is among the bets.

    The bets are checked first; a second reading finds the line, a third picks up its path. None is kept in memory.

    :raises EngineError: UNKNOWN_TICKET, or what is wrong in the bundle.
    """
    folder = Path(directory)
    terms = parse_terms(bundle.read_file(folder, bundle.TERMS))
    with open_bets(folder) as bets:
        count_bets(terms, bets)
        index, line = _find(bets, ticket)
        tree = _tree(bets, index)
    path, root = tree.path(), tree.root()
    assert verify_inclusion(leaf_hash(line), index, tree.count, path, root)
    return {
        "pool": terms.pool.code,
        "line": line.decode("utf-8"),
        "index": index,
        "count": tree.count,
        "path": [node.hex() for node in path],
        "root": root.hex(),
    }


def _find(bets: BinaryIO, ticket: str) -> tuple[int, bytes]:
    start = ticket.encode("utf-8", "replace") + b","
    before = 0
    bets.seek(0)
    for block in blocks(bets) if TICKET.fullmatch(ticket) else ():
        place = 0 if block.startswith(start) else block.find(b"\n" + start) + 1
        if place or block.startswith(start):
            index = before + block.count(b"\n", 0, place)
            return index, block[place : block.index(b"\n", place)]
        before += block.count(b"\n")
    raise EngineError("UNKNOWN_TICKET", "bets.csv, ticket", f"a ticket of this pool, not {shown(ticket)}")


def _tree(bets: BinaryIO, proved: int) -> MerkleTree:
    tree = MerkleTree(proved=proved)
    bets.seek(0)
    for block in blocks(bets):
        for line in block.split(b"\n")[:-1]:
            tree.add(leaf_hash(line))
    return tree

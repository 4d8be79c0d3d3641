"""What a closed pool is sealed by, in one pass over its bets: the claims of its commitment, and its chunks.

`python -m totalizator.engine.sealing SIZE LENGTH` seals beside whoever sells: it reads terms.json, LENGTH bytes of it,
and then bets.csv from standard input, and writes what it found, or the fault, as JSON.
"""

import sys
from dataclasses import dataclass
from typing import Any, BinaryIO

from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.chunks import Chunk, ChunkedTree
from totalizator.engine.commitment import claims_of
from totalizator.engine.counting import count_bets
from totalizator.engine.errors import EngineError
from totalizator.engine.terms import parse_terms


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a pass over the bets found."""

    claims: dict[str, object]
    chunks: list[Chunk]


def seal(terms_bytes: bytes, bets: BinaryIO, size: int) -> Sealed:
    """Hold every bet to the rules, count and hash it.

    :param size: bets of a chunk, a power of two
    :raises EngineError: for the first bet that breaks a rule.
    """
    terms = parse_terms(terms_bytes)
    tree = ChunkedTree(size)
    count = count_bets(terms, bets, tree=tree)
    return Sealed(claims_of(terms, terms_bytes, count, tree.root()), tree.chunks())


def answer(read: BinaryIO, size: int, length: int) -> bytes:
    """Seal what is read; write what was found, or the fault."""
    try:
        sealed = seal(read.read(length), read, size)
    except EngineError as fault:
        return json_file({"fault": [fault.code, fault.where, fault.expected]})
    return json_file({"claims": sealed.claims, "chunks": [[first, root.hex()] for first, root in sealed.chunks]})


def read_answer(written: bytes) -> Sealed:
    """Read what another process found.

    :raises EngineError: the fault that it found.
    """
    found: dict[str, Any] = parse_json(written, where="standard output")
    if "fault" in found:
        raise EngineError(*found["fault"])
    return Sealed(found["claims"], [(first, bytes.fromhex(root)) for first, root in found["chunks"]])


if __name__ == "__main__":
    sys.stdout.buffer.write(answer(sys.stdin.buffer, *map(int, sys.argv[1:])))

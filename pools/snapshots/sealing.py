"""Sealing a pool's bets as they are written: no file, no second reading (X1, X2).

What bets.csv is made of comes from the database; the engine checks, counts and hashes it line by line. For many bets
it does so in a process of its own, so that three work at once: the database sorts, this one writes, the engine hashes.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from io import BytesIO
from itertools import chain
from subprocess import PIPE, Popen
from typing import BinaryIO, cast

from django.conf import settings

from pools.models import BetChunk, Pool
from pools.snapshots.bets import bet_blocks
from totalizator.engine.chunks import Chunk
from totalizator.engine.sealing import Sealed, read_answer, seal

CHUNK = 1024
"""Bets of a chunk, a power of two."""
LARGE = 4 << 20
"""Bytes of bets.csv from which on the engine gets a process: what it costs to start one is then little."""


def sealed_bets(pool: Pool) -> Sealed:
    """Return what the pool's commitment claims, and its chunks.

    :raises EngineError: for the first bet that breaks a rule.
    """
    terms = pool.terms_text.encode()
    with closing(bet_blocks(pool)) as blocks:
        held = b"".join(_first(blocks, LARGE))
        if len(held) < LARGE:
            return seal(terms, BytesIO(held), CHUNK)
        return _sealed_beside(terms, chain([held], blocks))


def chunk_rows(pool: Pool, chunks: Iterable[Chunk]) -> list[BetChunk]:
    """Return the pool's chunks as rows, not stored."""
    return [
        BetChunk(pool=pool, number=number, first_ticket=first, root=root) for number, (first, root) in enumerate(chunks)
    ]


def _first(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield blocks until they have so many bytes together."""
    while size > 0 and (block := next(blocks, None)) is not None:
        yield block
        size -= len(block)


def _sealed_beside(terms: bytes, blocks: Iterable[bytes]) -> Sealed:
    """Let a process of its own seal the blocks; it never outlives this one: it ends with what it reads."""
    command = [sys.executable, "-m", "totalizator.engine.sealing", str(CHUNK), str(len(terms))]
    with Popen(command, cwd=settings.BASE_DIR, stdin=PIPE, stdout=PIPE) as engine:
        to_engine, from_engine = cast(BinaryIO, engine.stdin), cast(BinaryIO, engine.stdout)
        try:
            with suppress(BrokenPipeError), to_engine:  # it reads no further once it has found a fault
                to_engine.write(terms)
                to_engine.writelines(blocks)
            written = from_engine.read()
        except BaseException:
            engine.kill()
            raise
    if engine.returncode != 0:
        raise RuntimeError(f"the process that seals ended with {engine.returncode}")
    return read_answer(written)

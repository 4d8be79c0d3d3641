"""Writing the archive of a pool: the same rows make the same bytes (docs/archive.md)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pools.models import BetChunk, Computed, Pool
from pools.snapshots.bets import bet_lines
from pools.snapshots.pool_archives import FORMAT, kept_name, lines_name, public_name
from pools.snapshots.sealing import CHUNK
from totalizator.core.copying import copy_out
from totalizator.engine import bundle
from totalizator.engine.canonical import json_file

_BETS = """
COPY (SELECT ticket, bits, lines, stake,
             to_char(registered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
             channel, paid_from_id, player_id, till_id, sold_by_id, person_id, terms_digest, rules_version,
             encode(salt, 'hex'), encode(check_hash, 'hex')
      FROM pools_bet WHERE pool_id = %s ORDER BY ticket COLLATE "C")
TO STDOUT (FORMAT csv)
"""
_WINNINGS = """
COPY (SELECT ticket, level, lines, amount FROM {table} WHERE pool_id = %s
      ORDER BY ticket COLLATE "C", level COLLATE "C")
TO STDOUT (FORMAT csv)
"""


class NotAllThere(Exception):
    """Rows of a pool would be left out of its archive."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows went into an archive."""

    bets: int
    winnings: int
    corrected: int


def write_archive(pool: Pool, published: Iterable[tuple[Computed, Path]], path: Path) -> Written:
    """Write all that is known of a pool's bets; `published`: each of its settlements with the folder of its bundle."""
    firsts = list(BetChunk.objects.filter(pool=pool).order_by("number").values_list("first_ticket", flat=True))
    with ZipFile(path, "w", ZIP_DEFLATED, allowZip64=True) as archive:
        for computed, folder in published:
            for file in sorted(folder.iterdir()):
                if file.name != bundle.BETS:
                    with file.open("rb") as source:
                        _write(
                            archive, public_name(computed.version, file.name), iter(lambda: source.read(1 << 20), b"")
                        )
        lines = islice(bet_lines(pool), 1, None)
        for chunk in range(len(firsts)):
            _write(archive, lines_name(chunk), islice(lines, CHUNK))
        rows = copy_out(_BETS, [pool.pk])
        bets = sum(_write(archive, kept_name("bets", chunk), islice(rows, CHUNK)) for chunk in range(len(firsts)))
        if next(rows, None) is not None:
            raise NotAllThere(f"pool {pool.code}: more bets than were committed to")
        won = {
            what: _write_winnings(archive, what, copy_out(_WINNINGS.format(table=table), [pool.pk]), firsts)
            for what, table in (("winnings", "pools_winning"), ("corrected", "pools_correctedwinning"))
        }
        counts = {"bets": bets, **won}
        _write(
            archive, "index.json", [json_file({"format": FORMAT, "pool": pool.code, "chunk": CHUNK, "rows": counts})]
        )
    return Written(bets, won["winnings"], won["corrected"])


def _write_winnings(archive: ZipFile, what: str, rows: Iterator[bytes], firsts: list[str]) -> int:
    """Write the winnings of each chunk's tickets together."""
    ends = [first.encode() for first in firsts[1:]]
    count, row = 0, next(rows, None)
    for chunk in range(len(firsts)):
        together = []
        while row is not None and (chunk == len(ends) or row.partition(b",")[0] < ends[chunk]):
            together.append(row)
            row = next(rows, None)
        if together:
            count += _write(archive, kept_name(what, chunk), together)
    if row is not None:
        raise NotAllThere(f"a winning of no bet: {row!r}")
    return count


def _write(archive: ZipFile, name: str, parts: Iterable[bytes]) -> int:
    """Write one file with no time in it; return of how many parts it was made."""
    told = ZipInfo(name)
    told.compress_type = ZIP_DEFLATED
    count = 0
    with archive.open(told, "w", force_zip64=True) as file:
        for part in parts:
            file.write(part)
            count += 1
    return count

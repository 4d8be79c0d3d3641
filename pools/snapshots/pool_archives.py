"""Reading the archive of a pool: its public files, its bets and winnings, a chunk at a time.

A chunk is one of the committed tree's, so that a ticket and its path to the root are found by reading one chunk,
however large the pool was. docs/archive.md tells what is in the file.
"""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from itertools import islice
from zipfile import ZipFile

from django.db import connection
from django.db.models import Q

from pools.models import (
    ArchivedPlay,
    Bet,
    Computed,
    CorrectedWinning,
    Correction,
    Pool,
    PoolArchive,
    PoolState,
    Winning,
)
from pools.queries.corrections import Changed
from totalizator.engine import bundle
from totalizator.engine.bets import HEADER

FORMAT = 1
# By the order of bytes, which is that of the chunks' numbers.
_CHUNK = """
SELECT number FROM pools_betchunk
WHERE pool_id = %s AND first_ticket COLLATE "C" <= %s ORDER BY number DESC LIMIT 1
"""


def is_archived(pool: Pool) -> bool:
    """Tell whether the pool's bets and winnings are in its archive, and no longer rows."""
    return pool.state == PoolState.ARCHIVED


@contextmanager
def opened(pool: Pool) -> Iterator[ZipFile]:
    """Open the archive; :raises OSError: when the file is gone."""
    with PoolArchive.objects.get(pool=pool).file.open("rb") as file, ZipFile(file) as archive:
        yield archive


def public_name(version: int, name: str) -> str:
    """Name a public file of the settlement by one version of the protocol."""
    return f"public/{version}/{name}"


def lines_name(chunk: int) -> str:
    """Name the public lines of a chunk of bets."""
    return f"public/bets/{chunk:06}.csv"


def kept_name(what: str, chunk: int) -> str:
    """Name the rows of a chunk, as the database had them: `bets`, `winnings` or `corrected`."""
    return f"kept/{what}/{chunk:06}.csv"


def archived_lines(pool: Pool, chunk: int) -> list[bytes]:
    """Return the lines of bets.csv of one chunk, without newlines."""
    with opened(pool) as archive:
        return archive.read(lines_name(chunk)).splitlines()


def archived_line(pool: Pool, ticket: str) -> bytes:
    """Return the public line of a bet of an archived pool, without its newline."""
    chunk = _chunk_of(pool, ticket)
    lines = archived_lines(pool, chunk) if chunk is not None else []
    return next(line for line in lines if line.startswith(ticket.encode() + b","))


def archived_files(pool: Pool, computed: Computed) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the public files of a settlement, byte for byte as they were published."""
    names = (*bundle.FILES, *(bundle.OF_CORRECTION if isinstance(computed, Correction) else ()))
    with opened(pool) as archive:
        there = set(archive.namelist())
        for name in names:
            if name == bundle.BETS:
                yield name, _bets_csv(archive)
            elif public_name(computed.version, name) in there:
                yield name, _parts(archive, public_name(computed.version, name))


def archived_changes(pool: Pool, version: int) -> list[Changed]:
    """Return what a correction changed, ticket by ticket, as it was published."""
    with opened(pool) as archive:
        text = archive.read(public_name(version, bundle.CHANGED)).decode()
    rows = islice(csv.reader(text.splitlines()), 1, None)
    return [Changed(ticket, kind, int(before), int(after)) for ticket, kind, before, after in rows]


def bet_with_ticket(ticket: str, pool_code: str) -> Bet | None:
    """Return a bet with its pool, be it a row or in an archive; None when there is none."""
    bet = Bet.objects.select_related("pool", "till__point").filter(pool__code=pool_code, ticket=ticket).first()
    if bet is not None:
        return bet
    pool = Pool.objects.filter(code=pool_code, state=PoolState.ARCHIVED).first()
    return archived_bet(pool, ticket) if pool is not None else None


def archived_bet(pool: Pool, ticket: str) -> Bet | None:
    """Return a bet of an archived pool, as its row was; it is not to be saved."""
    for ticket_, bits, lines, stake, at, channel, paid_from, player, till, sold_by, person, *rest in _rows(
        pool, "bets", ticket
    ):
        if ticket_ == ticket:
            terms, rules, salt, check_hash = rest
            return Bet(
                pool=pool,
                ticket=ticket,
                bits=bits,
                lines=int(lines),
                stake=int(stake),
                registered_at=datetime.fromisoformat(at),
                channel=channel,
                paid_from_id=int(paid_from),
                player_id=int(player) if player else None,
                till_id=int(till) if till else None,
                sold_by_id=int(sold_by) if sold_by else None,
                person_id=int(person) if person else None,
                terms_digest=terms,
                rules_version=rules,
                salt=bytes.fromhex(salt),
                check_hash=bytes.fromhex(check_hash),
            )
    return None


def archived_winnings(pool: Pool, ticket: str, *, corrected: bool) -> list[Winning | CorrectedWinning]:
    """Return what a bet of an archived pool won, level by level; by the correction or by the first settlement."""
    model = CorrectedWinning if corrected else Winning
    rows = _rows(pool, "corrected" if corrected else "winnings", ticket)
    return [
        model(pool=pool, ticket=ticket, level=level, lines=int(lines), amount=int(amount))
        for of, level, lines, amount in rows
        if of == ticket
    ]


def archived_play(player_id: int, person_id: int) -> Iterator[Bet]:
    """Yield the bets in archives that are a player's, or were the same person's at desks."""
    known = ArchivedPlay.objects.filter(Q(player=player_id) | Q(person=person_id))
    for play in known.select_related("pool").order_by("pool_id", "pk"):
        for ticket in play.tickets:
            bet = archived_bet(play.pool, ticket)
            if bet is None:
                raise LookupError(f"{ticket} is not in the archive of its pool")
            yield bet


def _rows(pool: Pool, what: str, ticket: str) -> Iterator[list[str]]:
    """Yield the rows of the chunk that the ticket is in, if it is a ticket of the pool."""
    chunk = _chunk_of(pool, ticket)
    if chunk is None:
        return
    with opened(pool) as archive:
        name = kept_name(what, chunk)
        if name in archive.NameToInfo:
            with archive.open(name) as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
                yield from csv.reader(text)


def _chunk_of(pool: Pool, ticket: str) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(_CHUNK, [pool.pk, ticket])
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def _bets_csv(archive: ZipFile) -> Iterator[bytes]:
    yield HEADER + b"\n"
    for name in sorted(each for each in archive.namelist() if each.startswith("public/bets/")):
        yield archive.read(name)


def _parts(archive: ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as file:
        while part := file.read(1 << 20):
            yield part

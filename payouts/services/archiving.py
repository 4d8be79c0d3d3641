"""Old pools: proved once more, filed as one archive, and only then their bets and winnings dropped (X1).

What stays in the database: the terms, the commitment with its chunks, the protocols, the settlement with its texts, all
that was owed and paid on tickets, the ledger, the journal, the public log. docs/archive.md tells what is where.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from django.core.files import File
from django.db import connection
from django.db.models import Count, Sum
from django.utils.translation import gettext_lazy as _

from payouts.queries.archiving import last_fact, owes_back, pools_to_archive
from pools.locks import find_pool, lock_pool
from pools.models import (
    ArchivedPlay,
    Bet,
    Computed,
    Correction,
    Pool,
    PoolArchive,
    PoolState,
    Settlement,
    Winning,
    move,
)
from pools.queries.cancelled_bets import bets_in_division
from pools.services.commission_keys import published_keys
from pools.snapshots.archive_writing import Written, write_archive
from pools.snapshots.bundle import write_bundle
from pools.snapshots.pool_history import distribution_of
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import digest_of_stored, unlike_filed
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.manifest import file_digest
from totalizator.engine.verification import verify_bundle

DROPPED = ("pools_correctedwinning", "pools_winning", "pools_bet")
"""The tables whose rows go, in this order."""
AT_ONCE = 20_000
"""Rows that are dropped in one transaction."""
_PLAY = """
INSERT INTO pools_archivedplay (pool_id, player_id, person_id, tickets)
SELECT pool_id, player_id, CASE WHEN player_id IS NULL THEN person_id END, array_agg(ticket ORDER BY ticket COLLATE "C")
FROM pools_bet WHERE pool_id = %s AND (player_id IS NOT NULL OR person_id IS NOT NULL)
GROUP BY 1, 2, 3
"""


class NotProved(Exception):
    """What should go into an archive does not verify, or is not all there: nothing is dropped."""


def archive_pool(*, code: str, actor: str) -> PoolArchive:
    """Archive a pool: its bundle is verified by the engine, filed with all else that its rows held, and recorded.

    Its rows are dropped by `drop_archived_rows`, after this and in transactions of its own. Nothing of the pool can
    change meanwhile, so all of the work holds no lock but for the recording.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless the pool is among those to be archived.
    :raises NotProved: when its bundle does not verify, or the filed archive is not what was written.
    """
    pool = find_pool(code)
    _refuse_unfit(pool)
    with TemporaryDirectory(prefix="totalizator-") as place:
        published = _proved(pool, Path(place))
        path = Path(place, "archive.zip")
        written = write_archive(pool, published, path)
        digest, size = file_digest(path.parent, path.name), path.stat().st_size
        filed = _file(pool, path, digest)
    with one_transaction():
        pool = lock_pool(code)
        _refuse_unfit(pool)
        turnover = int(pool.bets.aggregate(total=Sum("stake", default=0))["total"])
        won = int(Winning.objects.filter(pool=pool).aggregate(total=Sum("amount", default=0))["total"])
        at = clock.now()
        archive = PoolArchive.objects.create(
            pool=pool,
            file=filed,
            digest=digest,
            size=size,
            bets=written.bets,
            turnover=turnover,
            winnings=written.winnings,
            won=won,
            corrected=written.corrected,
            distribution=distribution_of(pool),
            figures=bets_in_division()
            .filter(pool=pool)
            .aggregate(turnover=Sum("stake", default=0), lines=Sum("lines", default=0), bets=Count("*")),
            first_fact_at=pool.opens_at,
            last_fact_at=last_fact(pool),
            archived_at=at,
            archived_by=actor,
        )
        with connection.cursor() as cursor:
            cursor.execute(_PLAY, [pool.pk])
        _refuse_incomplete(pool, written)
        move(pool, PoolState.ARCHIVED)
        after = {"digest": digest, "bytes": size, "bets": written.bets, "winnings": written.winnings}
        write_journal(
            at=at,
            actor=actor,
            act="archive_pool",
            subject=f"pool:{code}",
            after=after | {"corrected": written.corrected, "turnover": turnover, "won": won},
        )
    return archive


def drop_archived_rows(pool: Pool, *, actor: str) -> int:
    """Drop the rows of an archived pool, a part at a time, and return how many; killed anywhere, it can go on.

    Only the owner of the tables may delete from them, and they only of a pool whose archive is recorded. Before the
    first row goes the filed archive is read again.

    :raises NotProved: when the filed archive is not what was recorded.
    """
    archive = PoolArchive.objects.get(pool=pool)
    _refuse_changed(archive)
    dropped = 0
    for table in DROPPED:
        while gone := _drop_some(table, pool.pk):
            dropped += gone
    write_journal(
        at=clock.now(), actor=actor, act="drop_archived_rows", subject=f"pool:{pool.code}", after={"rows": dropped}
    )
    return dropped


def _drop_some(table: str, pool_id: int) -> int:
    with one_transaction(), connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM {table} WHERE pool_id = %s LIMIT {AT_ONCE}))",
            [pool_id],
        )
        return int(cursor.rowcount)


def _refuse_unfit(pool: Pool) -> None:
    if not pools_to_archive(clock.now()).filter(pk=pool.pk).exists() or owes_back(pool):
        raise DomainError(
            Refusal.WRONG_STATE,
            _("Only a pool of long ago, with nothing owed, disputed or claimed, can be archived."),
            state=pool.state,
        )


def _proved(pool: Pool, place: Path) -> Sequence[tuple[Computed, Path]]:
    """Write the bundle of every settlement of the pool, and verify each with all signatures."""
    settlements: list[Computed] = [Settlement.objects.get(pool=pool), *Correction.objects.filter(pool=pool)]
    keys, published = published_keys(), []
    for computed in settlements:
        folder = Path(place, str(computed.version))
        write_bundle(pool, folder, computed)
        verdict = verify_bundle(folder, keys)
        if verdict.difference is not None:
            raise NotProved(f"pool {pool.code}, protocol {computed.version}: {verdict.difference}")
        published.append((computed, folder))
    return published


def _file(pool: Pool, path: Path, digest: str) -> str:
    """File the archive under a name made of its digest, once, read it back, and return the name."""
    storage, name = PoolArchive.file.field.storage, f"archives/{pool.pk}/{digest.removeprefix('sha256:')}.zip"
    if storage.exists(name) and digest_of_stored(storage, name) != digest:
        storage.delete(name)  # half a file, of a run that was killed
    if not storage.exists(name):
        with path.open("rb") as file:
            storage.save(name, File(file))
    if digest_of_stored(storage, name) != digest:
        raise NotProved(f"pool {pool.code}: the archive was filed as something else")
    with storage.open(name, "rb") as stored, ZipFile(stored) as archive:
        broken = archive.testzip()
    if broken is not None:
        raise NotProved(f"pool {pool.code}: {broken} in the archive cannot be read")
    return name


def _refuse_changed(archive: PoolArchive) -> None:
    wrong = unlike_filed(archive.file, archive.digest)
    if wrong is not None:
        raise NotProved(f"pool {archive.pool_id}: the filed archive is {wrong}, not {archive.digest}")


def _refuse_incomplete(pool: Pool, written: Written) -> None:
    """Hold what was written to what is there: every row, and every ticket of a player or of a known person."""
    with connection.cursor() as cursor:
        counts = []
        for table in reversed(DROPPED):
            cursor.execute(f"SELECT count(*) FROM {table} WHERE pool_id = %s", [pool.pk])
            counts.append(cursor.fetchone()[0])
    if counts != [written.bets, written.winnings, written.corrected]:
        raise NotProved(f"pool {pool.code}: {counts} rows, {written} in the archive")
    theirs = Bet.objects.filter(pool=pool).exclude(player__isnull=True, person__isnull=True).count()
    noted = sum(len(play.tickets) for play in ArchivedPlay.objects.filter(pool=pool))
    if theirs != noted:
        raise NotProved(f"pool {pool.code}: {theirs} bets of known people, {noted} noted")

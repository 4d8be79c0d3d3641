"""A pool's public bundle: every file that anyone needs to settle it again, and nothing about who bet (X3)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pools.models import Commitment, Computed, Correction, Pool, Protocol
from pools.queries.corrections import changed_csv, in_force
from pools.queries.winnings import rows_of, winnings_csv
from pools.snapshots.bets import bet_blocks
from pools.snapshots.pool_archives import archived_files, is_archived
from pools.snapshots.result import protocol_of, result_file, sealed_protocol
from totalizator.engine import bundle

NamedFile = tuple[str, Iterable[bytes]]


def write_bundle(pool: Pool, directory: Path, computed: Computed | None = None) -> tuple[str, ...]:
    """Write the files that are public by now, and return their names; older files of a bundle there are removed.

    The terms from the announcement on, the commitment from closing on, the result once it is sealed; the bets and all
    that was computed of them once the settlement is official. Of a corrected pool they are those of the correction,
    with what it changed, unless `computed` is the settlement before.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name in (*bundle.FILES, *bundle.OF_CORRECTION):
        directory.joinpath(name).unlink(missing_ok=True)
    computed = computed or in_force(pool)
    files = announced_files(pool) if computed is None else settled_files(pool, computed)
    return tuple(write_files(directory, files))


def write_inputs(pool: Pool, computed: Computed, directory: Path) -> None:
    """Write what the engine settles from: the "in" files, and the commitment that they must agree with."""
    for _name in write_files(directory, _input_files(pool, computed)):
        pass


def settled_files(pool: Pool, computed: Computed) -> Iterator[NamedFile]:
    """Yield every file of a settled pool, and of its correction what it changed."""
    if is_archived(pool):
        yield from archived_files(pool, computed)
        return
    yield from _input_files(pool, computed)
    yield from computed_files(pool, computed)
    yield bundle.MANIFEST, [computed.manifest_text.encode()]
    if isinstance(computed, Correction):
        yield bundle.CHANGED, changed_csv(pool)
        yield bundle.CORRECTION, [computed.correction_text.encode()]


def computed_files(pool: Pool, computed: Computed) -> Iterator[NamedFile]:
    """Yield what the database computed."""
    yield bundle.TALLY, [computed.tally_text.encode()]
    yield bundle.STATEMENT, [computed.statement_text.encode()]
    yield bundle.WINNINGS, winnings_csv(pool, rows_of(computed))


def announced_files(pool: Pool) -> Iterator[NamedFile]:
    """Yield what is public of a pool before it is settled."""
    yield from _known_files(pool, sealed_protocol(pool))


def _known_files(pool: Pool, protocol: Protocol | None) -> Iterator[NamedFile]:
    yield bundle.TERMS, [pool.terms_text.encode()]
    commitment = Commitment.objects.filter(pool=pool).first()
    if commitment is not None:
        yield bundle.COMMITMENT, [commitment.document_text.encode()]
    if protocol is not None:
        yield bundle.RESULT, [result_file(protocol)]


def _input_files(pool: Pool, computed: Computed) -> Iterator[NamedFile]:
    yield from _known_files(pool, protocol_of(computed))
    yield bundle.BETS, bet_blocks(pool)
    yield bundle.STATE, [computed.state_text.encode()]


def write_files(directory: Path, files: Iterable[NamedFile]) -> Iterator[str]:
    """Write files one by one, and yield their names."""
    for name, parts in files:
        bundle.write_file(directory, name, parts)
        yield name

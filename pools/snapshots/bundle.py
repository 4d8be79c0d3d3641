"""A pool's public bundle: every file that anyone needs to settle it again, and nothing about who bet (X3)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pools.models import Commitment, Pool, Settlement, SettlementState
from pools.queries.winnings import winnings_csv
from pools.snapshots.bets import bet_lines
from pools.snapshots.result import result_document, sealed_protocol
from totalizator.engine import bundle
from totalizator.engine.canonical import json_file

NamedFile = tuple[str, Iterable[bytes]]


def write_bundle(pool: Pool, directory: Path) -> tuple[str, ...]:
    """Write the files that are public by now, and return their names; older files of a bundle there are removed.

    The terms from the announcement on, the commitment from closing on, the result once it is sealed; the bets and all
    that was computed of them once the settlement is official.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name in bundle.FILES:
        directory.joinpath(name).unlink(missing_ok=True)
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    files = announced_files(pool) if settlement is None else settled_files(pool, settlement)
    return tuple(_write(directory, files))


def write_inputs(pool: Pool, settlement: Settlement, directory: Path) -> None:
    """Write what the engine settles from: the "in" files, and the commitment that they must agree with."""
    for _name in _write(directory, _input_files(pool, settlement)):
        pass


def settled_files(pool: Pool, settlement: Settlement) -> Iterator[NamedFile]:
    """Yield every file of a settled pool."""
    yield from _input_files(pool, settlement)
    yield from computed_files(pool, settlement)
    yield bundle.MANIFEST, [settlement.manifest_text.encode()]


def computed_files(pool: Pool, settlement: Settlement) -> Iterator[NamedFile]:
    """Yield what the database computed."""
    yield bundle.TALLY, [settlement.tally_text.encode()]
    yield bundle.STATEMENT, [settlement.statement_text.encode()]
    yield bundle.WINNINGS, winnings_csv(pool)


def announced_files(pool: Pool) -> Iterator[NamedFile]:
    """Yield what is public of a pool that is not settled."""
    yield bundle.TERMS, [pool.terms_text.encode()]
    commitment = Commitment.objects.filter(pool=pool).first()
    if commitment is not None:
        yield bundle.COMMITMENT, [commitment.document_text.encode()]
    protocol = sealed_protocol(pool)
    if protocol is not None:
        yield bundle.RESULT, [json_file(result_document(protocol))]


def _input_files(pool: Pool, settlement: Settlement) -> Iterator[NamedFile]:
    yield from announced_files(pool)
    yield bundle.BETS, bet_lines(pool)
    yield bundle.STATE, [settlement.state_text.encode()]


def _write(directory: Path, files: Iterable[NamedFile]) -> Iterator[str]:
    for name, parts in files:
        bundle.write_file(directory, name, parts)
        yield name

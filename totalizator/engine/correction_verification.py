"""Verifying a correction: both settlements, that one follows from the other, and that the differences are all told."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import digest, parse_json
from totalizator.engine.changes import changed_rows
from totalizator.engine.corrections import claims_of, parse_correction, previous_of, version_of
from totalizator.engine.difference import Difference, compare, compare_file
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.manifest import file_digest
from totalizator.engine.signatures import CORRECTION, parse_keys
from totalizator.engine.terms import parse_terms
from totalizator.engine.verdict import Verdict
from totalizator.engine.verification import verify_bundle
from totalizator.engine.witness import need_operator, of_members

SAME = (bundle.TERMS, bundle.BETS, bundle.COMMITMENT, bundle.STATE)


def verify_correction(
    before: str | Path, after: str | Path, keys: bytes | Mapping[str, object] | None = None
) -> Verdict:
    """Check that the bundle `after`, with its changed.csv and correction.json, corrects the bundle `before`.

    :raises EngineError: for wrong keys, and when there is no correction.json; what is wrong inside is the verdict.
    """
    was, should = Path(before), Path(after)
    public = None if keys is None else parse_keys(keys)
    correction = bundle.read_file(should, bundle.CORRECTION)
    try:
        notes = [*_settled(was, "before", keys), *_settled(should, "after", keys)]
        _check_inputs(was, should)
        _check_differences(was, should, correction)
        document = parse_json(correction, where=bundle.CORRECTION)
        quorum = parse_terms(bundle.read_file(was, bundle.TERMS)).quorum
        keys_of_pool = None if public is None else of_members(public, quorum)
        need_operator(document, bundle.CORRECTION, CORRECTION, keys_of_pool)
    except (Difference, EngineError) as error:
        return Verdict(str(error))
    return Verdict(None, tuple(dict.fromkeys(notes)))


def _settled(folder: Path, which: str, keys: bytes | Mapping[str, object] | None) -> Iterator[str]:
    """Hold a bundle to everything that `verify` does; of a correction nothing may be left out."""
    for name in bundle.FILES:
        if not bundle.is_there(folder, name):
            raise EngineError("MISSING_FILE", f"{which}, {name}", "every file of a settled bundle")
    verdict = verify_bundle(folder, keys)
    if verdict.difference is not None:
        raise Difference(f"{which}, {verdict.difference}")
    yield from verdict.notes


def _check_inputs(before: Path, after: Path) -> None:
    """One pool with the same bets, and the result that follows the other's."""
    for name in SAME:
        if file_digest(before, name) != file_digest(after, name):
            raise Difference(f"{name}: not the same file before and after")
    corrects, version = version_of(before), version_of(after)
    if version <= corrects:
        raise Difference(f"{bundle.RESULT}, protocol.version: {version} does not come after {corrects}")
    named, computed = previous_of(after), digest(bundle.read_file(before, bundle.RESULT))
    if named != computed:
        raise Difference(f"{bundle.RESULT}, protocol.previous: {shown(named)} after, {computed} is the one before")


def _check_differences(before: Path, after: Path, correction: bytes) -> None:
    says = parse_correction(correction)
    try:
        with after.joinpath(bundle.CHANGED).open("rb") as file:
            compare_file(bundle.CHANGED, file, changed_rows(before, after))
    except OSError as error:
        raise bundle.missing(bundle.CHANGED, error) from None
    compare(bundle.CORRECTION, dict(says.claims), claims_of(before, after))

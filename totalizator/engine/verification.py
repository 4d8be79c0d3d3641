"""Verifying a bundle: everything that is there is computed again, and the first thing that differs is named."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.commitment import claims_of, parse_commitment
from totalizator.engine.counting import count_bets
from totalizator.engine.difference import Difference, compare, compare_file
from totalizator.engine.dividends import divide
from totalizator.engine.errors import EngineError
from totalizator.engine.manifest import LISTED, file_digest, parse_manifest
from totalizator.engine.merkle import MerkleTree
from totalizator.engine.result import parse_result
from totalizator.engine.settlement import Settlement, open_bets, settle_bets, winnings_of
from totalizator.engine.signatures import Keys, parse_keys
from totalizator.engine.statement import statement_document
from totalizator.engine.tally import Tally, parse_tally, tally_document
from totalizator.engine.terms import parse_terms
from totalizator.engine.verdict import Verdict
from totalizator.engine.witness import check_signatures

# What a statement says about tickets and conditions cannot come out of a tally.
ONLY_FROM_BETS = ("late", "cancelled", "void", "bets_digest")


def verify_bundle(directory: str | Path, keys: bytes | Mapping[str, object] | None = None) -> Verdict:
    """Compute everything in a bundle again; `keys` is keys.json, from outside the bundle.

    :raises EngineError: only for wrong keys; what is wrong in the bundle is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        return Verdict(None, tuple(_Verifier(Path(directory)).notes(public)))
    except (Difference, EngineError) as error:
        return Verdict(str(error))


class _Verifier:
    """One bundle being verified: its inputs, then what was made of them, then who signed it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms_bytes = bundle.read_file(folder, bundle.TERMS)
        self._terms = parse_terms(self._terms_bytes)
        self._there = frozenset(name for name in bundle.FILES if bundle.is_there(folder, name))

    def notes(self, keys: Keys | None) -> Iterator[str]:
        """Check everything; give what the reader of an OK must know."""
        self._need_inputs()
        if bundle.RESULT in self._there:
            parse_result(self._terms, bundle.read_file(self._folder, bundle.RESULT))
        if bundle.BETS in self._there:
            self._check_bets()
        elif bundle.TALLY in self._there:
            self._check_published()
        if bundle.MANIFEST in self._there:
            self._check_manifest()
            written = bundle.read_file(self._folder, bundle.MANIFEST)
            if written != json_file(parse_json(written, where=bundle.MANIFEST)):
                yield f"{bundle.MANIFEST} says what was signed, and is laid out otherwise than it was written"
        if keys is None:
            yield "signatures not checked"
        else:
            yield from check_signatures(self._folder, self._terms, self._there, keys)
        absent = [name for name in bundle.FILES if name not in self._there and name != bundle.STATE]
        if absent:
            yield f"not there: {', '.join(absent)}"

    def _need_inputs(self) -> None:
        """Refuse what was made of something that is not there."""
        for made, source in (
            (bundle.COMMITMENT, bundle.BETS),
            (bundle.WINNINGS, bundle.BETS),
            (bundle.STATEMENT, bundle.TALLY if bundle.BETS not in self._there else bundle.RESULT),
            (bundle.TALLY, bundle.TALLY if bundle.BETS not in self._there else bundle.RESULT),
        ):
            if made in self._there and source not in self._there:
                raise EngineError("MISSING_FILE", source, f"the file that {made} was made of")

    def _check_bets(self) -> None:
        tree = MerkleTree() if bundle.COMMITMENT in self._there else None
        with open_bets(self._folder) as bets:
            settlement = None
            if bundle.RESULT in self._there:
                settlement = settle_bets(self._folder, self._terms, bets, tree=tree)
                count = settlement.count
            else:
                count = count_bets(self._terms, bets, tree=tree)
            if tree is not None:
                says = parse_commitment(bundle.read_file(self._folder, bundle.COMMITMENT))
                computed = claims_of(self._terms, self._terms_bytes, count, tree.root())
                compare(bundle.COMMITMENT, dict(says.claims), computed)
                _between(f"{bundle.COMMITMENT}, closed_at", says.closed_at, count.last, self._terms.closes_at)
            if settlement is not None:
                self._check_settlement(settlement)
                if bundle.WINNINGS in self._there:
                    self._check_winnings(winnings_of(settlement, bets))

    def _check_settlement(self, settlement: Settlement) -> None:
        if bundle.TALLY in self._there:
            says = self._tally()
            compare(bundle.TALLY, tally_document(says), _as_far_as(says, settlement.tally))
        if bundle.STATEMENT in self._there:
            compare(bundle.STATEMENT, self._json(bundle.STATEMENT), statement_document(settlement.statement))

    def _check_winnings(self, computed: Iterator[bytes]) -> None:
        try:
            with self._folder.joinpath(bundle.WINNINGS).open("rb") as file:
                compare_file(bundle.WINNINGS, file, computed)
        except OSError as error:
            raise bundle.missing(bundle.WINNINGS, error) from None

    def _check_published(self) -> None:
        """Check a draw of which only the tally was published."""
        computed = statement_document(divide(self._terms, self._tally()))
        if bundle.STATEMENT in self._there:
            says = self._json(bundle.STATEMENT)
            if isinstance(says, dict):
                computed |= {key: says[key] for key in ONLY_FROM_BETS if key in says}
            compare(bundle.STATEMENT, says, computed)

    def _check_manifest(self) -> None:
        manifest = parse_manifest(bundle.read_file(self._folder, bundle.MANIFEST))
        compare(f"{bundle.MANIFEST}, pool", manifest.pool, self._terms.pool.code)
        computed = {name: file_digest(self._folder, name) for name in LISTED if name in self._there}
        compare(f"{bundle.MANIFEST}, files", dict(manifest.files), computed, joint=".")
        if bundle.COMMITMENT in self._there:
            closed_at = parse_commitment(bundle.read_file(self._folder, bundle.COMMITMENT)).closed_at
            _between(f"{bundle.MANIFEST}, settled_at", manifest.settled_at, closed_at)

    def _tally(self) -> Tally:
        return parse_tally(self._terms, bundle.read_file(self._folder, bundle.TALLY))

    def _json(self, name: str) -> object:
        return parse_json(bundle.read_file(self._folder, name), where=name)


def _between(where: str, says: str, first: str, last: str | None = None) -> None:
    """Hold an instant to what must have come before it, and to what must come after."""
    if says < first:
        raise Difference(f"{where}: {says}, before {first}")
    if last is not None and says > last:
        raise Difference(f"{where}: {says}, after {last}")


def _as_far_as(says: Tally, computed: Tally) -> dict[str, object]:
    """Write the computed tally, without the bets of levels that say none: that key is optional."""
    document = tally_document(computed)
    levels = document["levels"]
    assert isinstance(levels, dict)
    for code, level in says.levels.items():
        if level.bets is None:
            levels[code].pop("bets", None)
    return document

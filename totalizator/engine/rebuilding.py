"""Settling a pool again from the sealed journal and its bundle alone (S3).

The journal says what was announced, bet, sealed, signed and reserved, and what came out; the bundle has the texts that
the journal names by their digests. Nothing is taken from a bundle that the journal does not name.
"""

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from totalizator.engine import bundle
from totalizator.engine.canonical import canonical_json, digest, json_file, parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.journal import broken_link, broken_row, read_journal
from totalizator.engine.manifest import file_digest
from totalizator.engine.settlement import settle

OUT = (bundle.TALLY, bundle.STATEMENT, bundle.WINNINGS)
_EVERYTHING = 1 << 256
_BY_PROTOCOL = ("settle_pool", "correct_settlement")


@dataclass(slots=True)
class Recorded:
    """What the journal says of one pool."""

    code: str
    acts: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """(act, number of the protocol that it was about or by, if any) → what it says came of it, the last time."""
    bets: int = 0
    """The digests of all registered bets, added up: the same bets in any order give the same sum."""

    def need(self, act: str, key: str, protocol: str = "") -> Any:
        """Return what an act recorded; :raises Difference: when the journal has it not."""
        found = self.acts.get((act, protocol), {})
        if key not in found:
            raise Difference(f"journal: pool {self.code} has no {act} that says {key}")
        return found[key]

    def published(self, protocol: str) -> Mapping[str, str]:
        """Return the digests of what was computed by a version: the settlement's, or its correction's (H5)."""
        act = "correct_settlement" if ("correct_settlement", protocol) in self.acts else "settle_pool"
        files: Mapping[str, str] = self.need(act, "files", protocol)
        return files


def rebuild(journal: Path, directory: Path) -> dict[str, str]:
    """Settle the pool whose bundle is in `directory` in an empty place; return the digests of what came out, by file.

    :raises Difference: for the first thing in which journal, bundle and settlement do not agree.
    :raises EngineError: for what cannot be read.
    """
    terms = bundle.read_file(directory, bundle.TERMS)
    result = bundle.read_file(directory, bundle.RESULT)
    code = str(parse_json(terms, where=bundle.TERMS)["pool"]["code"])
    protocol = str(parse_json(result, where=bundle.RESULT)["protocol"]["number"])
    recorded = _read(journal, code)
    _same(bundle.TERMS, digest(terms), recorded.need("announce_pool", "terms"))
    _same(bundle.BETS, file_digest(directory, bundle.BETS), recorded.need("seal_bets", "bets"))
    _same(bundle.RESULT, _signed_digest(result), recorded.need("seal_protocol", "document", protocol))
    if _bets_of(directory) != recorded.bets:
        raise Difference(f"{bundle.BETS}: not the bets that the journal registered")
    published = recorded.published(protocol)
    with TemporaryDirectory(prefix="totalizator-") as place:
        empty = Path(place)
        bundle.write_file(empty, bundle.TERMS, [terms])
        bundle.write_file(empty, bundle.RESULT, [result])
        bundle.write_file(empty, bundle.STATE, [json_file(recorded.need("calculate_settlement", "state"))])
        shutil.copyfile(directory.joinpath(bundle.BETS), empty.joinpath(bundle.BETS))
        settle(empty)
        digests = {name: file_digest(empty, name) for name in OUT}
    for name in OUT:
        _same(name, digests[name], published[name])
    return digests


def _read(path: Path, code: str) -> Recorded:
    """Check the chain on the way: a journal that is broken says nothing."""
    recorded, before = Recorded(code), None
    for seal, rows in read_journal(path):
        broken = broken_link(before, seal) or broken_row(seal, rows)
        if broken is not None:
            raise Difference(f"journal: {broken}")
        for _number, line in rows:
            _note(recorded, parse_json(line, where=path.name))
        before = seal
    return recorded


def _note(recorded: Recorded, row: Mapping[str, Any]) -> None:
    subject, act, after = row["subject"], row["act"], row["after"] or {}
    kind, _colon, name = subject.partition(":")
    if act == "place_bet" and name.rpartition("-")[0] == recorded.code:
        recorded.bets += _bet_digest(name, str(after["stake"]), str(after["lines"]), row["at"])
        recorded.bets %= _EVERYTHING
    elif (kind == "pool" and name == recorded.code) or (
        kind == "protocol" and name.rpartition("/")[0] == recorded.code
    ):
        about = name if kind == "protocol" else after.get("protocol", "") if act in _BY_PROTOCOL else ""
        recorded.acts[act, about] = after


def _bets_of(directory: Path) -> int:
    total = 0
    with directory.joinpath(bundle.BETS).open(encoding="utf-8") as bets:
        next(bets)
        for line in bets:
            ticket, _selections, stake, lines, registered_at, _salt = line.rstrip("\n").split(",")
            total += _bet_digest(ticket, stake, lines, registered_at)
    return total % _EVERYTHING


def _bet_digest(*facts: str) -> int:
    return int.from_bytes(hashlib.sha256(",".join(facts).encode()).digest(), "big")


def _signed_digest(result: bytes) -> str:
    """Digest what the commission signed: the result without its signatures."""
    document = parse_json(result, where=bundle.RESULT)
    return digest(canonical_json({key: value for key, value in document.items() if key != "signatures"}))


def _same(name: str, there: str, recorded: str) -> None:
    if there != recorded:
        raise Difference(f"{name}: {there}, the journal says {recorded}")

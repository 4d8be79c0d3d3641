"""A player's receipt: that the bet was taken, is among the committed bets, and the commitment in the public log (X2).

Whatever a receipt has is checked: the operator's signature under all of it, from the sale on; the path from the bet's
line to the root, and the signed commitment, from closing on; the path from the commitment's line to a signed head.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from totalizator.engine import fields as read
from totalizator.engine.bets import FIELDS
from totalizator.engine.canonical import canonical_json, digest, json_file, parse_json
from totalizator.engine.commitment import parse_commitment
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields
from totalizator.engine.instants import read_instant
from totalizator.engine.log import LogHead, hash_bytes, parse_entry
from totalizator.engine.log_verification import NOT_CHECKED, read_head
from totalizator.engine.merkle import leaf_hash, verify_inclusion
from totalizator.engine.signatures import COMMITMENT, RECEIPT, Keys, parse_keys, payload, signatures
from totalizator.engine.verdict import Verdict
from totalizator.engine.witness import need_operator


def receipt_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a receipt that the operator signs."""
    return payload(RECEIPT, document)


def verify_receipt(receipt: bytes, *, where: str = "receipt.json", keys: bytes | None = None) -> Verdict:
    """Check a receipt off line.

    :raises EngineError: for wrong keys; what is wrong in the receipt is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        return Verdict(None, tuple(_Receipt(parse_json(receipt, where=where), where, public).notes()))
    except (Difference, EngineError) as error:
        return Verdict(str(error))


@dataclass(frozen=True, slots=True)
class _Bet:
    """What a receipt says of the bet's line without the pool's terms."""

    line: str
    ticket: str
    registered_at: str


class _Receipt:
    """One receipt being verified."""

    def __init__(self, document: object, where: str, keys: Keys | None) -> None:
        self._where, self._keys, self._document = where, keys, document
        self._fields = Fields(document, where, inner=False)
        self._fields.need("format", read.first_format)
        self._pool = self._fields.need("pool", read.label)
        self._bet = self._fields.need("bet", _read_bet)

    def notes(self) -> Iterator[str]:
        """Check from the bet upwards; give what was proved, and what could not be checked."""
        if self._fields.has("commitment"):
            yield from self._committed()
        else:
            yield f"ticket {self._bet.ticket} of pool {self._pool}: not yet in a commitment"
        if self._fields.has("signatures"):
            self._fields.need("signatures", signatures("key"))
        self._fields.finish()
        assert isinstance(self._document, Mapping)
        need_operator(self._document, self._where, RECEIPT, self._keys)
        if self._keys is None:
            yield NOT_CHECKED

    def _committed(self) -> Iterator[str]:
        index = self._fields.need("index", read.whole(0))
        path = self._fields.need("path", read.items(hash_bytes))
        root = self._fields.need("root", hash_bytes)
        at = self._fields.at("commitment")
        document = self._fields.need("commitment", _object)
        commitment = parse_commitment(document, where=at)
        count = commitment.claims["count"]
        assert isinstance(count, int)
        if not verify_inclusion(leaf_hash(self._bet.line.encode()), index, count, path, root):
            raise Difference(f"{self._where}, path: does not lead from bet {index} of {count} to the root")
        _agree(f"{at}, merkle_root", commitment.claims["merkle_root"], root.hex())
        _agree(f"{at}, pool", commitment.claims["pool"], self._pool)
        if self._bet.registered_at > commitment.closed_at:
            raise Difference(f"{self._where}, bet: registered after the pool had closed, at {commitment.closed_at}")
        need_operator(document, at, COMMITMENT, self._keys)
        yield f"ticket {self._bet.ticket} is bet {index + 1} of the {count} of pool {self._pool}"
        if self._fields.has("log"):
            yield self._fields.need("log", lambda value, where: self._logged(value, where, document))
        else:
            yield "the commitment's line in the public log is not there"

    def _logged(self, value: object, where: str, commitment: Mapping[str, object]) -> str:
        fields = Fields(value, where)
        line = fields.need("entry", _object)
        entry = parse_entry(line, where=fields.at("entry"))
        path = fields.need("path", read.items(hash_bytes))
        head: LogHead = fields.need("head", lambda head, at: read_head(head, at, self._keys))
        fields.finish()
        _agree(f"{where}.entry, kind", entry.kind, "commitment")
        _agree(f"{where}.entry, subject", entry.subject, self._pool)
        _agree(f"{where}.entry, digest", entry.digest, digest(json_file(commitment)))
        if not verify_inclusion(leaf_hash(canonical_json(line)), entry.index, head.size, path, head.root):
            raise Difference(f"{where}.path: does not lead from line {entry.index + 1} to the head of {head.size}")
        return f"the bets were fixed in the public log at {entry.at}, line {entry.index + 1} of {head.size}"


def _agree(where: str, says: object, expected: object) -> None:
    if says != expected:
        raise Difference(f"{where}: {shown(says)}, expected {shown(expected)}")


def _object(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise EngineError("BAD_VALUE", where, f"an object, not {shown(value)}")
    return value


def _read_bet(value: object, where: str) -> _Bet:
    line = read.text(value, where)
    cells = line.split(",")
    if len(cells) != len(FIELDS):
        raise EngineError("BAD_CSV", where, f"{len(FIELDS)} fields, not {len(cells)}")
    ticket, _selections, _stake, _lines, registered_at, _salt = cells
    return _Bet(line=line, ticket=ticket, registered_at=read_instant(registered_at, where))

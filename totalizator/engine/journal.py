"""The sealed journal: rows as lines, and after each batch the seal that chains it to the seal before it (S1).

A file of the journal holds the lines of a batch's rows by id, then its seal's line, and so on. A seal's digest covers
the digest of its rows' lines, their ids and the digest of the seal before. Ids are given out before rows are committed,
so a late row stands in a later seal: the ids of a seal are ranges. Marks, the first eight bytes of each row's digest,
prove nothing; they only tell which row was changed.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from totalizator.engine import fields as read
from totalizator.engine.bundle import missing
from totalizator.engine.canonical import canonical_json, digest, digest_name, json_file, parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields
from totalizator.engine.instants import read_instant

MARK = 8  # bytes
Ranges = list[list[int]]
"""First and last id of each run, both included, ascending."""


@dataclass(slots=True)
class Batch:
    """The rows of a seal, in the order of their ids, as they are read."""

    ids: Ranges = field(default_factory=list)
    count: int = 0
    marks: bytearray = field(default_factory=bytearray)
    _rows: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, number: int, line: bytes) -> None:
        """Take the row `number`; `line` is its text with the newline."""
        if self.ids and self.ids[-1][1] == number - 1:
            self.ids[-1][1] = number
        else:
            self.ids.append([number, number])
        self.count += 1
        self.marks += mark_of(line)
        self._rows.update(line)

    def digest(self) -> str:
        """Name the lines taken so far by their digest."""
        return digest_name(self._rows.digest())


@dataclass(frozen=True, slots=True)
class Seal:
    """One seal: what it claims of its rows, and its own digest."""

    number: int
    previous: str | None
    at: str
    ids: Ranges
    count: int
    rows: str
    marks: bytes
    digest: str

    def claims(self) -> dict[str, object]:
        """Give what the digest covers."""
        names = ("number", "previous", "at", "ids", "count", "rows")
        return {name: getattr(self, name) for name in names}

    def line(self) -> bytes:
        """Write the seal as its line in a file."""
        return json_file({"seal": {**self.claims(), "marks": self.marks.hex(), "digest": self.digest}})


def make_seal(previous: Seal | None, batch: Batch, at: str) -> Seal:
    """Chain a batch to the newest seal."""
    number, before = (1, None) if previous is None else (previous.number + 1, previous.digest)
    rows = batch.digest()
    claims = {"number": number, "previous": before, "at": at, "ids": batch.ids, "count": batch.count, "rows": rows}
    return Seal(number, before, at, batch.ids, batch.count, rows, bytes(batch.marks), digest(canonical_json(claims)))


def mark_of(line: bytes) -> bytes:
    """Give the mark by which a changed row is found."""
    return hashlib.sha256(line).digest()[:MARK]


def broken_link(previous: Seal | None, seal: Seal) -> str | None:
    """Tell what is wrong with a seal itself, or None."""
    before = (0, None) if previous is None else (previous.number, previous.digest)
    if seal.number != before[0] + 1:
        return f"seal {before[0] + 1} is missing"
    if seal.previous != before[1]:
        return f"seal {seal.number} does not follow the seal before it"
    if seal.digest != digest(canonical_json(seal.claims())):
        return f"seal {seal.number} was changed"
    return None


def broken_row(seal: Seal, rows: Iterable[tuple[int, bytes]]) -> str | None:
    """Name the first row, by id, that is not as it was sealed, or None; `rows` are ids and lines by id."""
    sealed = _ids(seal)
    batch = Batch()
    for number, line in rows:
        expected = next(sealed, None)
        if expected is None or number < expected:
            return f"row {number} was added to seal {seal.number}"
        if number > expected:
            return f"row {expected} of seal {seal.number} was deleted"
        if seal.marks[batch.count * MARK :][:MARK] != mark_of(line):
            return f"row {number} of seal {seal.number} was changed"
        batch.add(number, line)
    gone = next(sealed, None)
    if gone is not None:
        return f"row {gone} of seal {seal.number} was deleted"
    if (batch.digest(), batch.count) != (seal.rows, seal.count):
        return f"seal {seal.number} was changed"
    return None


def _ids(seal: Seal) -> Iterator[int]:
    for first, last in seal.ids:
        yield from range(first, last + 1)


def read_journal(path: Path) -> Iterator[tuple[Seal, list[tuple[int, bytes]]]]:
    """Yield each seal of a file with the lines of its rows.

    :raises EngineError: for what is no line of a journal; MISSING_FILE.
    """
    rows: list[tuple[int, bytes]] = []
    try:
        with path.open("rb") as file:
            for position, line in enumerate(file, start=1):
                where = f"{path.name}, line {position}"
                document = parse_json(line, where=where)
                if isinstance(document, dict) and "seal" in document:
                    yield _seal(document["seal"], where), rows
                    rows = []
                else:
                    rows.append((_row_id(document, where), line))
    except OSError as error:
        raise missing(path.name, error) from None
    if rows:
        raise EngineError("BAD_VALUE", path.name, f"a seal after its last rows, from row {rows[0][0]} on")


Known = tuple[int, str]
"""Number and digest of a seal that is known from elsewhere: of a journal that was cut off, the rest is in order."""


def verify_journal(path: Path, known: Known | None = None) -> tuple[str | None, Seal | None]:
    """Check a file of the journal: return the first thing that is broken, or None, and the newest seal that holds.

    :raises EngineError: as `read_journal`.
    """
    newest: Seal | None = None
    for seal, rows in read_journal(path):
        broken = broken_link(newest, seal) or unlike_known(seal, known) or broken_row(seal, rows)
        if broken is not None:
            return broken, newest
        newest = seal
    return cut_off(newest, known) or (None if newest else "there is no seal"), newest


def unlike_known(seal: Seal, known: Known | None) -> str | None:
    """Tell that a seal is not the one that is known, or None."""
    if known is not None and seal.number == known[0] and seal.digest != known[1]:
        return f"seal {seal.number} is not the one that is known"
    return None


def cut_off(newest: Seal | None, known: Known | None) -> str | None:
    """Tell that the chain ends before a seal that is known, or None."""
    number = 0 if newest is None else newest.number
    if known is not None and known[0] > number:
        return f"seal {number + 1} is missing"
    return None


def read_known(text: str) -> Known:
    """Read `17:sha256:…`.

    :raises EngineError: BAD_VALUE for another form.
    """
    number, _colon, named = text.partition(":")
    if not number.isascii() or not number.isdigit() or int(number) < 1:
        raise EngineError("BAD_VALUE", "--known", f"number and digest of a seal, 17:sha256:…, not {shown(text)}")
    return int(number), read.digest_text(named, "--known")


def _row_id(document: object, where: str) -> int:
    if isinstance(document, Mapping) and isinstance(document.get("id"), int):
        return int(document["id"])
    raise EngineError("BAD_VALUE", where, f"a row of the journal or a seal, not {shown(document)}")


def _seal(document: object, where: str) -> Seal:
    fields = Fields(document, where, inner=False)
    whole = read.whole(1)
    seal = Seal(
        number=fields.need("number", whole),
        previous=fields.need("previous", read.optional(read.digest_text)),
        at=fields.need("at", read_instant),
        ids=fields.need("ids", _ranges),
        count=fields.need("count", whole),
        rows=fields.need("rows", read.digest_text),
        marks=fields.need("marks", _bytes),
        digest=fields.need("digest", read.digest_text),
    )
    fields.finish()
    return seal


def _ranges(value: object, where: str) -> Ranges:
    ranges = [list(each) for each in read.items(read.items(read.whole(1)))(value, where)]
    if any(len(each) != 2 or each[0] > each[1] for each in ranges):
        raise EngineError("BAD_VALUE", where, "first and last id of each run")
    return ranges


def _bytes(value: object, where: str) -> bytes:
    try:
        return bytes.fromhex(str(value))
    except ValueError:
        raise EngineError("BAD_VALUE", where, "bytes in hex") from None

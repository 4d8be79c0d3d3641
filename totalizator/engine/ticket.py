"""A sold ticket: the operator's signature under what it prints, all of it in the text of its QR code (X2).

The text is `SITE/t/TICKET/#T3&check code&selections&stake&time&terms&signature`. The check code is not signed: a copy
has none, and the signature proves the sale without it. A ticket that is signed and not among the pool's bets was sold
and not booked.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from totalizator.engine import bundle, ed25519
from totalizator.engine.bets import FIELDS, NUMBER, TICKET
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.instants import read_instant
from totalizator.engine.log_verification import NOT_CHECKED
from totalizator.engine.manifest import file_digest
from totalizator.engine.signatures import OPERATOR, Keys, parse_keys, payload
from totalizator.engine.signatures import TICKET as PURPOSE
from totalizator.engine.verdict import Verdict

VERSION = "T3"
WHERE = "ticket"
_PAGE = re.compile(r"(?:\S*/)?t/([0-9A-Za-z-]+)/")


@dataclass(frozen=True, slots=True)
class PrintedBet:
    """What a ticket prints of its bet; `stake` in kopecks, `terms` the digest of terms.json."""

    ticket: str
    selections: str
    stake: int
    registered_at: str
    terms: str

    @property
    def pool(self) -> str:
        """The pool, which a ticket's number tells."""
        return self.ticket.rpartition("-")[0]

    def payload(self) -> bytes:
        """Give the bytes that the operator signs."""
        printed = {name: getattr(self, name) for name in ("ticket", "pool", "selections", "stake")}
        return payload(PURPOSE, {**printed, "format": 1, "registered_at": self.registered_at, "terms": self.terms})


def ticket_text(page: str, check_code: str, bet: PrintedBet, signature: bytes) -> str:
    """Write the text of a QR code; `page` is the address of the ticket's public page."""
    terms = _short(bytes.fromhex(bet.terms.removeprefix("sha256:")))
    code, selections = (quote(part, safe=";+:") for part in (check_code, bet.selections))  # the rest is as it stands
    parts = (VERSION, code, selections, str(bet.stake), bet.registered_at, terms, _short(signature))
    return f"{page}#" + "&".join(parts)


def read_ticket(text: str) -> tuple[PrintedBet, bytes]:
    """Read the text of a QR code: what the ticket prints, and the signature.

    :raises EngineError: naming the part that cannot be read.
    """
    page, _hash, rest = text.strip().partition("#")
    address, parts = _PAGE.fullmatch(page), rest.split("&")
    if address is None or parts[0] != VERSION or len(parts) != 7:
        raise EngineError("BAD_VALUE", WHERE, f"the text of a ticket's QR code, …/t/TICKET/#{VERSION}&…")
    _version, _code, selections, stake, registered_at, terms, signature = map(unquote, parts)
    ticket = address.group(1).upper()
    if not TICKET.fullmatch(ticket):
        raise EngineError("BAD_VALUE", WHERE, f"digits, A-Z and -, not {shown(ticket)}")
    if not NUMBER.fullmatch(stake):
        raise EngineError("BAD_VALUE", f"{WHERE}, stake", f"a whole number from 1, not {shown(stake)}")
    read_instant(registered_at, f"{WHERE}, time")
    digest = "sha256:" + _long(terms, 32, f"{WHERE}, terms").hex()
    bet = PrintedBet(ticket, selections, int(stake), registered_at, digest)
    return bet, _long(signature, 64, f"{WHERE}, signature")


def signer_of(bet: PrintedBet, signature: bytes, keys: Keys) -> str | None:
    """Name the operator's key that signed; None when none of them did. The commission's keys sign no tickets."""
    message = bet.payload()
    mine = ((name, key.public) for name, key in sorted(keys.items()) if key.is_of(OPERATOR))
    return next((name for name, public in mine if ed25519.verify(public, message, signature)), None)


def verify_ticket(text: str, *, keys: bytes | None = None, folder: Path | None = None) -> Verdict:
    """Check the text of a QR code off line; with the pool's bundle in `folder` also that the bet was booked as printed.

    :raises EngineError: for wrong keys; what is wrong with the ticket is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        return Verdict(None, tuple(_notes(text, public, folder)))
    except (Difference, EngineError) as error:
        return Verdict(str(error))


def _notes(text: str, keys: Keys | None, folder: Path | None) -> Iterator[str]:
    bet, signature = read_ticket(text)
    signer = None if keys is None else signer_of(bet, signature, keys)
    if keys is not None and signer is None:
        raise Difference(f"{WHERE}, signature: by none of the operator's keys, or under another bet")
    yield f"ticket {bet.ticket}: {bet.selections} for {bet.stake}, accepted at {bet.registered_at}"
    yield NOT_CHECKED if signer is None else f"signed by {signer}"
    if folder is not None:
        yield _booked(bet, folder)


def _booked(bet: PrintedBet, folder: Path) -> str:
    """Find the bet in a bundle; :raises Difference: for other terms, and for a bet that was not booked as sold."""
    terms = file_digest(folder, bundle.TERMS)
    if terms != bet.terms:
        raise Difference(f"{WHERE}, terms: {bet.terms}, not those of {bundle.TERMS}, {terms}")
    if not bundle.is_there(folder, bundle.BETS):
        return f"{bundle.BETS} is not there: it is published with the settlement"
    beginning = f"{bet.ticket},".encode()
    try:
        with folder.joinpath(bundle.BETS).open("rb") as lines:
            booked = next((line for line in lines if line.startswith(beginning)), None)
    except OSError as error:
        raise bundle.missing(bundle.BETS, error) from None
    if booked is None:
        raise Difference(f"{bundle.BETS}: has no bet {bet.ticket}: sold and not booked")
    _compare(bet, booked.decode("utf-8", "replace").rstrip("\n"))
    return f"booked as printed in {bundle.BETS}"


def _compare(bet: PrintedBet, line: str) -> None:
    booked = dict(zip(FIELDS, line.split(","), strict=False))
    for name in ("selections", "stake", "registered_at"):
        printed = str(getattr(bet, name))
        if booked.get(name) != printed:
            raise Difference(f"{bundle.BETS}, {bet.ticket}, {name}: {booked.get(name)} booked, {printed} sold")


def _short(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _long(text: str, size: int, where: str) -> bytes:
    """Read base64url in its only spelling."""
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        content = b""
    if len(content) != size or _short(content) != text:
        raise EngineError("BAD_VALUE", where, f"{size} bytes in base64url, not {shown(text)}")
    return content

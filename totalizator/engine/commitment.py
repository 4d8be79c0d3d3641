"""commitment.json: at closing, the digests, the root and the totals that the bets can never leave again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from totalizator.engine import fields as read
from totalizator.engine.announced import Terms
from totalizator.engine.bundle import BETS, missing
from totalizator.engine.canonical import digest, parse_json
from totalizator.engine.counting import BetCount, count_bets
from totalizator.engine.fields import Fields
from totalizator.engine.instants import instant_text, read_instant
from totalizator.engine.merkle import MerkleTree
from totalizator.engine.signatures import COMMITMENT, Signature, payload, signatures
from totalizator.engine.terms import parse_terms


@dataclass(frozen=True, slots=True)
class Commitment:
    """A commitment as read: its claims by the name they have in the file, and its signatures."""

    claims: Mapping[str, object]
    closed_at: str
    signatures: tuple[Signature, ...]


def build_commitment(terms_bytes: bytes, bets_path: str | Path, closed_at: datetime | str) -> dict[str, object]:
    """Commit to the bets of a closed pool; the signatures are still to be put in.

    :raises EngineError: for the first bet that breaks a rule.
    """
    terms = parse_terms(terms_bytes)
    tree = MerkleTree()
    try:
        with Path(bets_path).open("rb") as bets:
            count = count_bets(terms, bets, tree=tree)
    except OSError as error:
        raise missing(BETS, error) from None
    return commitment_of(claims_of(terms, terms_bytes, count, tree.root()), closed_at)


def commitment_of(claims: Mapping[str, object], closed_at: datetime | str) -> dict[str, object]:
    """Write a commitment to these claims; the signatures are still to be put in."""
    return {"format": 1, **claims, "closed_at": instant_text(closed_at)}


def claims_of(terms: Terms, terms_bytes: bytes, count: BetCount, root: bytes) -> dict[str, object]:
    """Give what a commitment claims and anyone can compute again."""
    return {
        "pool": terms.pool.code,
        "terms": digest(terms_bytes),
        "bets": count.digest,
        "count": count.count,
        "lines": count.lines,
        "turnover": count.turnover,
        "merkle_root": root.hex(),
    }


def commitment_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a commitment that the operator signs."""
    return payload(COMMITMENT, document)


def parse_commitment(document: object, *, where: str = "commitment.json") -> Commitment:
    """Read a commitment.

    :raises EngineError: naming the field.
    """
    document = parse_json(document, where=where) if isinstance(document, bytes) else document
    fields = Fields(document, where, inner=False)
    fields.need("format", read.first_format)
    claims: dict[str, object] = {key: fields.need(key, read.label) for key in ("pool", "terms", "bets", "merkle_root")}
    claims |= {key: fields.need(key, read.whole(0)) for key in ("count", "lines", "turnover")}
    commitment = Commitment(
        claims=claims,
        closed_at=fields.need("closed_at", read_instant),
        signatures=fields.take("signatures", signatures("key"), ()),
    )
    fields.finish()
    return commitment

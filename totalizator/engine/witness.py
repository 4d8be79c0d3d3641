"""Who signed: the quorum of the commission under the result, the operator under all else."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.announced import Quorum, Terms
from totalizator.engine.canonical import parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import shown
from totalizator.engine.signatures import (
    COMMISSION,
    COMMITMENT,
    MANIFEST,
    OPERATOR,
    PROTOCOL,
    Keys,
    payload,
    signatures,
    signers,
)

MEMBER = "member"
"""Under a result a signature names who signed so; under all else `key`."""


def check_signatures(folder: Path, terms: Terms, there: Collection[str], keys: Keys) -> list[str]:
    """Verify the signatures of every signed file that is there; the files were read before.

    :returns: a note when a result that needs no signatures has none.
    :raises Difference: for a wrong signature, or too few of them.
    """
    keys, notes = of_members(keys, terms.quorum), []
    if bundle.COMMITMENT in there:
        _need_signed(bundle.COMMITMENT, _signers(folder, bundle.COMMITMENT, COMMITMENT, "key", keys))
    if bundle.RESULT in there:
        members = _signers(folder, bundle.RESULT, PROTOCOL, MEMBER, keys)
        _need_quorum(terms.quorum, members)
        if not members:
            notes.append(f"{bundle.RESULT} is not signed, and its terms ask for no signatures")
    if bundle.MANIFEST in there:
        _need_signed(bundle.MANIFEST, _signers(folder, bundle.MANIFEST, MANIFEST, "key", keys))
    return notes


def _signers(folder: Path, name: str, purpose: bytes, signer: str, keys: Keys) -> frozenset[str]:
    """Tell who signed a file; every signature in it must be right."""
    document = parse_json(bundle.read_file(folder, name), where=name)
    return signed_by(document, name, purpose, signer, keys)


def signed_by(document: Mapping[str, object], where: str, purpose: bytes, signer: str, keys: Keys) -> frozenset[str]:
    """Tell who signed a document that was read before; every signature in it must be right.

    :raises Difference: for a wrong one.
    """
    signed = signatures(signer)(document.get("signatures", []), f"{where}, signatures")
    role = COMMISSION if signer == MEMBER else OPERATOR
    right, wrong = signers(payload(purpose, document), signed, keys, role)
    if wrong is not None:
        raise Difference(f"{where}, signatures: the one by {shown(wrong)} {_why(keys, wrong, role)}")
    return right


def _why(keys: Keys, wrong: str, role: str) -> str:
    if wrong not in keys:
        return "is by a key that is not among the keys"
    return "is not its signature of this file" if keys[wrong].is_of(role) else f"is by a key that is not the {role}'s"


def of_members(keys: Keys, quorum: Quorum | None) -> Keys:
    """Let the keys that the terms name as the commission's sign nothing else, whether keys.json tells roles or not."""
    named = frozenset(quorum.members if quorum is not None else ())
    return {
        name: replace(key, role=COMMISSION) if name in named and key.role is None else key for name, key in keys.items()
    }


def need_operator(document: Mapping[str, object], where: str, purpose: bytes, keys: Keys | None) -> None:
    """Hold a document to a signature of the operator's, where there are keys to check it with.

    :raises Difference: for a wrong one, or none.
    """
    if keys is not None:
        _need_signed(where, signed_by(document, where, purpose, "key", keys))


def _need_signed(name: str, right: frozenset[str]) -> None:
    if not right:
        raise Difference(f"{name}, signatures: not signed")


def _need_quorum(quorum: Quorum | None, right: frozenset[str]) -> None:
    """Hold the result to the announced quorum; each member counts once (¶10, 30)."""
    if quorum is None:
        return
    members = right.intersection(quorum.members)
    for stranger in sorted(right - members):
        raise Difference(f"{bundle.RESULT}, signatures: {shown(stranger)} may not sign results of this pool")
    if len(members) < quorum.need:
        raise Difference(f"{bundle.RESULT}, signatures: {len(members)} of the {quorum.need} that are needed")

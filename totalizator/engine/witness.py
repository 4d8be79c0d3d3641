"""Who signed: the quorum of the commission under the result, the operator under all else."""

from collections.abc import Collection, Mapping
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.announced import Quorum, Terms
from totalizator.engine.canonical import parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import shown
from totalizator.engine.signatures import COMMITMENT, MANIFEST, PROTOCOL, payload, signatures, signers


def check_signatures(folder: Path, terms: Terms, there: Collection[str], keys: Mapping[str, bytes]) -> list[str]:
    """Verify the signatures of every signed file that is there; the files were read before.

    :returns: a note when a result that needs no signatures has none.
    :raises Difference: for a wrong signature, or too few of them.
    """
    notes = []
    if bundle.COMMITMENT in there:
        _need_signed(bundle.COMMITMENT, _signers(folder, bundle.COMMITMENT, COMMITMENT, "key", keys))
    if bundle.RESULT in there:
        members = _signers(folder, bundle.RESULT, PROTOCOL, "member", keys)
        _need_quorum(terms.quorum, members)
        if not members:
            notes.append(f"{bundle.RESULT} is not signed, and its terms ask for no signatures")
    if bundle.MANIFEST in there:
        _need_signed(bundle.MANIFEST, _signers(folder, bundle.MANIFEST, MANIFEST, "key", keys))
    return notes


def _signers(folder: Path, name: str, purpose: bytes, signer: str, keys: Mapping[str, bytes]) -> frozenset[str]:
    """Tell who signed a file; every signature in it must be right."""
    document = parse_json(bundle.read_file(folder, name), where=name)
    return signed_by(document, name, purpose, signer, keys)


def signed_by(
    document: Mapping[str, object], where: str, purpose: bytes, signer: str, keys: Mapping[str, bytes]
) -> frozenset[str]:
    """Tell who signed a document that was read before; every signature in it must be right.

    :raises Difference: for a wrong one.
    """
    signed = signatures(signer)(document.get("signatures", []), f"{where}, signatures")
    right, wrong = signers(payload(purpose, document), signed, keys)
    if wrong is not None:
        why = "is not its signature of this file" if wrong in keys else "is by a key that is not among the keys"
        raise Difference(f"{where}, signatures: the one by {shown(wrong)} {why}")
    return right


def need_operator(document: Mapping[str, object], where: str, purpose: bytes, keys: Mapping[str, bytes] | None) -> None:
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

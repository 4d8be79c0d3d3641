"""What a member of the commission says against a protocol, beside it, signed with the member's key (¶10, X5)."""

from collections.abc import Mapping

from totalizator.engine import fields as read
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields
from totalizator.engine.signatures import DISSENT, parse_keys, payload, signatures
from totalizator.engine.verdict import Verdict
from totalizator.engine.witness import MEMBER, signed_by

NOT_CHECKED = "signatures not checked"


def dissent_payload(statement: Mapping[str, object]) -> bytes:
    """Give the bytes of a statement that its member signs: who says what of which document."""
    return payload(DISSENT, statement)


def verify_dissent(statement: bytes, *, where: str, keys: bytes | None = None, result: bytes | None = None) -> Verdict:
    """Check that a member said these words of this document; `result` is a result.json that it must be about.

    :raises EngineError: for wrong keys; what is wrong in the statement is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        document = parse_json(statement, where=where)
        number, named, member = _read(document, where)
        if public is not None:
            _need_member(member, signed_by(document, where, DISSENT, MEMBER, public), where)
        if result is not None:
            _need_about(number, named, parse_json(result, where="result.json"), where)
    except (Difference, EngineError) as error:
        return Verdict(str(error))
    notes = (f"{member} disagreed with protocol {number}, whose document is {named}",)
    return Verdict(None, notes if public is not None else (*notes, NOT_CHECKED))


def _read(document: object, where: str) -> tuple[str, str, str]:
    fields = Fields(document, where, inner=False)
    number, named = fields.need("protocol", read.label), fields.need("document", read.digest_text)
    member = fields.need("member", read.label)
    fields.need("words", read.label)
    fields.need("signatures", signatures(MEMBER))
    fields.finish()
    return number, named, member


def _need_member(member: str, right: frozenset[str], where: str) -> None:
    if right != {member}:
        raise Difference(f"{where}, signatures: not signed by {shown(member)}")


def _need_about(number: str, named: str, result: Mapping[str, object], where: str) -> None:
    """Hold a statement to the document without its signatures: what was signed when the member disagreed."""
    protocol = result.get("protocol")
    of_result = protocol.get("number") if isinstance(protocol, Mapping) else None
    if of_result != number:
        raise Difference(f"{where}, protocol: {shown(number)}, in result.json {shown(of_result)}")
    computed = digest(canonical_json({key: value for key, value in result.items() if key != "signatures"}))
    if computed != named:
        raise Difference(f"{where}, document: {named}, of result.json {computed}")

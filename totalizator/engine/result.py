"""What happened: the commission's signed result (¶10, 30-32)."""

from collections.abc import Mapping
from dataclasses import dataclass

from totalizator.engine import fields as read
from totalizator.engine.announced import Condition, Terms
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields, Reader
from totalizator.engine.instants import read_instant
from totalizator.engine.signatures import PROTOCOL, Signature, payload, signatures

VOID = "void"


@dataclass(frozen=True, slots=True)
class Result:
    """The right outcomes of every condition that took place, and those that did not."""

    right: Mapping[str, frozenset[str]]
    """Condition code → codes of its right outcomes (several in a dead heat, D-8); void conditions are absent."""
    void: frozenset[str]
    event_void: bool
    first_started_at: str | None
    """Six decimals; None only when nothing took place."""
    signatures: tuple[Signature, ...]


def parse_result(terms: Terms, data: bytes | Mapping[str, object], *, where: str = "result.json") -> Result:
    """Read a result for these terms.

    :raises EngineError: naming the field; a condition without a right outcome is refused, unless void.
    """
    document = parse_json(data, where=where) if isinstance(data, bytes) else data
    fields = Fields(document, where, inner=False)
    fields.need("protocol", _check_protocol)
    event_void = fields.take("event_void", read.flag, False)
    outcomes = fields.need("conditions", lambda value, at: _outcomes(terms, value, at, event_void))
    right = {condition: codes for condition, codes in outcomes.items() if codes}
    result = Result(
        right=right,
        void=frozenset(outcomes) - frozenset(right),
        event_void=event_void,
        first_started_at=fields.need("first_started_at", read.optional(read_instant)),
        signatures=fields.take("signatures", signatures("member"), ()),
    )
    fields.finish()
    if result.first_started_at is None and right and not event_void:
        raise EngineError("BAD_VALUE", fields.at("first_started_at"), "the time of the first start")
    return result


def signed_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a result.json that the commission's members sign."""
    return payload(PROTOCOL, document)


def _outcomes(terms: Terms, value: object, where: str, event_void: bool) -> dict[str, frozenset[str]]:
    """Read the right outcomes by condition, none for a void one; a void event need not list its conditions."""
    fields = Fields(value, where)
    outcomes = {}
    for condition in terms.conditions:
        if event_void and not fields.has(condition.code):
            outcomes[condition.code] = frozenset[str]()
        else:
            outcomes[condition.code] = fields.need(condition.code, _right(condition))
    fields.finish()
    return outcomes


def _right(condition: Condition) -> Reader[frozenset[str]]:
    known = read.one_of(*(outcome.code for outcome in condition.outcomes))

    def read_right(value: object, where: str) -> frozenset[str]:
        if value == VOID:
            return frozenset()
        if not isinstance(value, (list, tuple)) or not value:
            raise EngineError("BAD_VALUE", where, f'a list of right outcomes or "void", not {shown(value)}')
        return frozenset(read.all_different(read.items(known)(value, where), where))

    return read_right


def _check_protocol(value: object, where: str) -> None:
    """Check the form of what the engine carries without using it: number, digest, evidence, dissent."""
    fields = Fields(value, where)
    fields.need("number", read.label)
    fields.need("digest", read.digest_text)
    fields.need("sealed_at", read_instant)
    fields.take("version", read.whole(1), 1)
    fields.take("previous", read.optional(read.text), None)
    fields.take("evidence", read.each(_check_evidence), None)
    fields.take("dissent", read.each(_check_dissent), None)
    fields.finish()


def _check_evidence(value: object, where: str) -> None:
    fields = Fields(value, where)
    fields.take("condition", read.text, "")
    fields.take("source", read.text, "")
    fields.take("captured_at", read_instant, "")
    fields.take("digest", read.digest_text, "")
    fields.finish()


def _check_dissent(value: object, where: str) -> None:
    """A dissenting opinion: a text, or an object of texts (who, about what, why)."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            read.text(key, where)
            read.text(part, f"{where}.{key}")
    else:
        read.text(value, where)

"""Reading what a member enters: the one form that two like entries share, and why what is void did not take place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from accounts.services.staff import written
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.errors import EngineError
from totalizator.engine.result import VOID, Result, parse_result
from totalizator.engine.terms import Terms

EVENT = "event"
"""Where the reasons of what is void name the whole event."""
_RESULT = frozenset({"conditions", "event_void", "first_started_at"})
_NOT_DRAWN_UP = {"number": "-", "digest": "sha256:-", "sealed_at": "2000-01-01T00:00:00Z"}
_TO_THE_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry as read: `text` is what must be the same in two of them, reasons may be worded as each likes."""

    text: str
    void_reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What two entries say of one place: a condition's code, `event_void` or `first_started_at`."""

    place: str
    one: Any
    other: Any


def read_entry(terms: Terms, entry: Mapping[str, Any], at: datetime) -> ReadEntry:
    """Check an entry by the engine.

    :raises DomainError: BAD_VALUE naming the field; a void condition without a reason is refused.
    """
    unknown = sorted(set(entry) - _RESULT - {"void_reasons"})
    if unknown:
        raise DomainError(Refusal.BAD_VALUE, _("There is no such field in a result."), field=unknown[0])
    result = {key: value for key, value in entry.items() if key != "void_reasons"}
    try:
        parsed = parse_result(terms, {"protocol": _NOT_DRAWN_UP, **result})
    except EngineError as fault:
        raise DomainError(Refusal.BAD_VALUE, str(fault), field=fault.where) from fault
    started = result.get("first_started_at")
    _refuse_impossible_start(started, at)
    canonical = {
        "conditions": _in_announced_order(terms, parsed),
        "event_void": parsed.event_void,
        "first_started_at": started,
    }
    reasons = _void_reasons(terms, parsed, entry.get("void_reasons", {}))
    return ReadEntry(canonical_json(canonical).decode(), reasons)


def differences(terms: Terms, one: str, other: str) -> tuple[Difference, ...]:
    """Return what two entries do not agree on: conditions in announced order, then the event and the start."""
    return tuple(_differences(terms, *(parse_json(text.encode(), where="result") for text in (one, other))))


def _differences(terms: Terms, one: Any, other: Any) -> Iterator[Difference]:
    for condition in terms.conditions:
        said = [entry["conditions"][condition.code] for entry in (one, other)]
        if said[0] != said[1]:
            yield Difference(condition.code, *said)
    for key in ("event_void", "first_started_at"):
        if one[key] != other[key]:
            yield Difference(key, one[key], other[key])


def _void_reasons(terms: Terms, result: Result, given: Any) -> dict[str, str]:
    """Return the reason of each void condition, or of the void event."""
    void = [EVENT] if result.event_void else [known.code for known in terms.conditions if known.code in result.void]
    if not isinstance(given, Mapping) or set(given) - set(void):
        raise DomainError(
            Refusal.BAD_VALUE, _("Reasons are given for what did not take place only."), field="void_reasons"
        )
    reasons = {}
    for code in void:
        reason = given.get(code)
        if not isinstance(reason, str) or not reason.strip():
            message = _("Say why it did not take place.")
            raise DomainError(Refusal.BAD_VALUE, message, field=f"void_reasons.{code}")
        reasons[code] = written(reason, field=f"void_reasons.{code}", most=500)
    return reasons


def _refuse_impossible_start(started: str | None, at: datetime) -> None:
    if started is None:
        return
    instant = parse_datetime(started) if _TO_THE_SECOND.fullmatch(started) else None
    if instant is None:
        raise DomainError(
            Refusal.BAD_VALUE, _("Give the first start to the second: 2026-12-05T12:00:05Z."), field="first_started_at"
        )
    if instant > at:
        raise DomainError(Refusal.BAD_VALUE, _("The first start is still to come."), field="first_started_at")


def _in_announced_order(terms: Terms, result: Result) -> dict[str, str | list[str]]:
    return {
        condition.code: (
            [outcome.code for outcome in condition.outcomes if outcome.code in result.right[condition.code]]
            if condition.code in result.right
            else VOID
        )
        for condition in terms.conditions
    }

"""What is entered of a result, place by place, as a member reads it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pools.models import Pool
from totalizator.core.localtime import LEGAL_ZONE
from totalizator.core.names import localized
from totalizator.core.templatetags.trade import moment
from totalizator.engine.canonical import parse_json
from totalizator.engine.result import VOID

Words = str | SafeString


def place_name(pool: Pool, place: str) -> str:
    """Name a place of an entry: a condition by its number and name."""
    if place == "event_void":
        return _("whether the event is void")
    if place == "first_started_at":
        return _("the actual start")
    for number, condition in enumerate(pool.terms.conditions, 1):
        if condition.code == place:
            return f"{number}. {localized(condition.name)}"
    return _("condition %(code)s") % {"code": place}


def said_by(pool: Pool, *entries: str) -> list[tuple[Any, ...]]:
    """Return (place, its name, what each entry says of it): conditions as announced, then the event and its start."""
    read = [parse_json(text.encode(), where="result") for text in entries]
    return [(place, place_name(pool, place), *(_said(entry, place) for entry in read)) for place in _places(pool)]


def _places(pool: Pool) -> Iterator[str]:
    yield from (condition.code for condition in pool.terms.conditions)
    yield from ("event_void", "first_started_at")


def _said(entry: Mapping[str, Any], place: str) -> Words:
    if place == "event_void":
        return _("yes") if entry[place] else _("no")
    if place == "first_started_at":
        started = entry[place]
        return moment(datetime.fromisoformat(started), LEGAL_ZONE, seconds=True) if started else "—"
    right = entry["conditions"][place]
    return _("did not take place") if right == VOID else ", ".join(right)

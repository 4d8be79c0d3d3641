"""Refusing terms that the engine can settle and people cannot use: unreadable names, times no calendar holds (A1)."""

import unicodedata
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.localtime import YEARS
from totalizator.engine.terms import Terms

# Characters that turn the direction of what follows: a name with them reads otherwise than it is stored.
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def refuse_illegible(terms: Terms) -> None:
    """Refuse a name without a letter or digit, or with control characters, and a year that nobody means.

    :raises DomainError: BAD_TERMS naming the field.
    """
    for place, names in _names(terms):
        for text in names.values() or [""]:
            if not is_legible(text):
                raise DomainError(
                    Refusal.BAD_TERMS,
                    _("A name needs a letter or a digit, and no control characters."),
                    field=f"terms.json, {place}",
                )
    for place, instant in (("opens_at", terms.opens_at), ("closes_at", terms.closes_at)):
        if int(instant[:4]) not in YEARS:
            raise DomainError(
                Refusal.BAD_TERMS,
                _("The year must be from %(first)s to %(last)s.") % {"first": YEARS[0], "last": YEARS[-1]},
                field=f"terms.json, {place}",
            )


def _names(terms: Terms) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every name that is shown; an outcome without one is shown by its code."""
    yield "pool.name", terms.pool.name
    for number, condition in enumerate(terms.conditions):
        yield f"conditions[{number}].name", condition.name
        for place, outcome in enumerate(condition.outcomes):
            if outcome.name:
                yield f"conditions[{number}].outcomes[{place}].name", outcome.name


def is_legible(text: str) -> bool:
    """Tell whether a name has something to read, and nothing that is not seen."""
    if any(unicodedata.category(character) == "Cc" or character in TURNING for character in text):
        return False
    return any(character.isalnum() for character in text)

"""Coupons as people type them: `1X2`, `1(X2)2`, or the exact form `1;X+2;2` (B7)."""

import re
import secrets

from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.terms import Terms

_POSITION = re.compile(r"\((?P<several>[^()]*)\)|(?P<one>[^()])")


def read_typed(terms: Terms, text: str) -> str:
    """Return typed marks as selections: conditions joined by `;`, marks by `+`, in the pool's order.

    Without a `;`, each character is the mark of one condition, and several marks of one condition stand in
    brackets. A Cyrillic letter that looks like X is read as X. A pool with longer outcome codes takes only the exact
    form. Whether the marks exist is the engine's to say.

    :raises DomainError: BAD_SELECTION when brackets do not match, a mark is missing or too many, or the short form
        cannot be used.
    """
    typed = "".join(text.split())
    if ";" in typed or (len(terms.conditions) == 1 and "(" not in typed):
        return _in_order(terms, [part.split("+") for part in typed.split(";")])
    if any(len(outcome.code) != 1 for condition in terms.conditions for outcome in condition.outcomes):
        raise DomainError(
            Refusal.BAD_SELECTION, _("Type the outcomes of the conditions with ; between them."), field="selections"
        )
    if _POSITION.sub("", typed):
        raise DomainError(Refusal.BAD_SELECTION, _("A bracket is missing."), field="selections")
    positions = [list(found["several"] or found["one"] or "") for found in _POSITION.finditer(typed)]
    if len(positions) != (needed := len(terms.conditions)):
        said = _("Marks needed: %(needed)s; typed: %(typed)s.") % {"needed": needed, "typed": len(positions)}
        raise DomainError(Refusal.BAD_SELECTION, said, field="selections")
    return _in_order(terms, positions)


def _in_order(terms: Terms, positions: list[list[str]]) -> str:
    """Put the marks of each condition into the announced order; what is unknown stays, for the engine to refuse."""
    parts = []
    for number, typed in enumerate(positions):
        outcomes = terms.conditions[number].outcomes if number < len(terms.conditions) else ()
        order = [outcome.code for outcome in outcomes]
        marks = [_latin(mark.upper(), order) if mark not in order else mark for mark in typed]
        known = sorted((mark for mark in marks if mark in order), key=order.index)
        parts.append("+".join(known + [mark for mark in marks if mark not in order]))
    return ";".join(parts)


def _latin(mark: str, order: list[str]) -> str:
    return "X" if mark == "Х" and mark not in order else mark


def random_selections(terms: Terms) -> str:
    """Return one random single line of the pool: a quick pick."""
    return ";".join(secrets.choice(condition.outcomes).code for condition in terms.conditions)

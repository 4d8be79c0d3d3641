"""The coupon grid: a box for every outcome of every condition; several marks make a system coupon (D-10)."""

from dataclasses import dataclass

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from pools.services.betting import read_coupon
from pools.services.typed_coupons import read_typed
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn
from totalizator.engine.coupon import Coupon
from totalizator.engine.terms import Condition, Terms


@dataclass(frozen=True, slots=True)
class GridRow:
    """One condition of the grid, with the name of its boxes and which of them are marked."""

    name: str
    number: int
    condition: Condition
    marked: tuple[str, ...]


def grid(terms: Terms, selections: str = "") -> tuple[GridRow, ...]:
    """Lay out the grid, marked as in `selections`."""
    parts = selections.split(";") if selections else []
    parts += [""] * (len(terms.conditions) - len(parts))
    return tuple(
        GridRow(f"mark-{number}", number, condition, tuple(part.split("+")) if part else ())
        for number, (condition, part) in enumerate(zip(terms.conditions, parts, strict=False), 1)
    )


def marks_of(terms: Terms, posted: QueryDict) -> list[str]:
    """Read the posted grid as it is: `X` or `1+2` for each condition, nothing where none is marked."""
    return [_in_order(row, posted.getlist(row.name)) for row in grid(terms)]


def _in_order(row: GridRow, marks: list[str]) -> str:
    """Put marks into the announced order; what is unknown stays, for the engine to refuse."""
    order = [outcome.code for outcome in row.condition.outcomes]
    return "+".join(sorted(marks, key=lambda mark: order.index(mark) if mark in order else len(order)))


def selections_of(terms: Terms, posted: QueryDict) -> str:
    """Read the posted grid, or the typed coupon when there is one, as `1;X;1+2`.

    :raises DomainError: BAD_SELECTION, naming the first condition without a mark.
    """
    typed = str(posted.get("typed", "")).strip()
    if typed:
        return read_typed(terms, typed)
    if "selections" in posted:
        return str(posted["selections"])
    parts = marks_of(terms, posted)
    if "" in parts:
        raise DomainError(
            Refusal.BAD_SELECTION,
            _("Mark at least one outcome in condition %(number)s.") % {"number": parts.index("") + 1},
            field="selections",
        )
    return ";".join(parts)


def as_marked(terms: Terms, posted: QueryDict) -> str:
    """Return a coupon as far as it was marked, so that a fault or a log-in costs no marking again: `1;;1+2`."""
    try:
        return selections_of(terms, posted)
    except DomainError:
        return ";".join(marks_of(terms, posted))


@dataclass(frozen=True, slots=True)
class ReadCoupon:
    """A coupon as it is read back before it is paid; `stake` in kopecks, `each` per line."""

    coupon: Coupon
    stake: int
    each: int
    rows: tuple[GridRow, ...]


def read_back(pool: Pool, posted: QueryDict) -> ReadCoupon:
    """Read a posted coupon with its price, or with the stake that was typed where the pool has no price.

    :raises DomainError: BAD_SELECTION, BAD_STAKE, TOO_MANY_LINES, BAD_VALUE naming the field.
    """
    terms = pool.terms
    coupon = read_coupon(pool, selections_of(terms, posted))
    line_price = terms.price.line
    stake = coupon.lines * line_price if line_price else parse_byn(posted.get("stake", ""), field="stake")
    read_coupon(pool, coupon.selections, stake)
    return ReadCoupon(coupon, stake, stake // coupon.lines, grid(terms, coupon.selections))


def _as_printed() -> forms.TextInput:
    """Return the field of a part of a prepaid card, which no browser keeps or corrects."""
    return forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "characters"})


class CardForm(forms.Form):
    """The prepaid card that pays for a bet: all three together, as printed (¶35.2)."""

    series = forms.CharField(label=_("Series"), max_length=20, widget=_as_printed())
    number = forms.CharField(label=_("Number"), max_length=40, widget=_as_printed())
    code = forms.CharField(label=_("Activation code"), max_length=60, widget=_as_printed())


class PaymentForm(forms.Form):
    """What the confirm page posts: the coupon that was read back, its price, and the token that makes it one ticket."""

    selections = forms.CharField(max_length=10_000, widget=forms.HiddenInput)
    stake = forms.CharField(max_length=20, widget=forms.HiddenInput)
    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)

    def first_fault(self) -> DomainError:
        """Say which field is wrong of a form that no person typed."""
        field, faults = next(iter(self.errors.items()))
        return DomainError(Refusal.BAD_VALUE, str(faults[0]), field=field)

"""How templates show money, shares, instants and names."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Protocol

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from totalizator.core.act_names import act_name
from totalizator.core.legal_calendar import source_told
from totalizator.core.legal_words import number_named, value_told
from totalizator.core.localtime import LEGAL_ZONE, local_text, zone_name
from totalizator.core.money import format_byn, plain_byn, share_told
from totalizator.core.names import localized
from totalizator.core.plain_words import grouped, without_decisions, without_references
from totalizator.engine.deadlines import legal_day
from totalizator.engine.instants import instant_text

register = template.Library()
register.filter("grouped", grouped)
register.filter("without_decisions", without_decisions, is_safe=True)
register.filter("without_references", without_references, is_safe=True)


class NumberLike(Protocol):
    """A value of a dated number: in force, to come or proposed."""

    name: str
    value: str


@register.filter
def byn(kopecks: int | None) -> str:
    """Show kopecks as an amount, an absent one as a dash."""
    return "—" if kopecks is None else format_byn(int(kopecks))


@register.filter
def plain(kopecks: int) -> str:
    """Show kopecks as a form field takes them: `12.50`."""
    return plain_byn(int(kopecks))


@register.filter
def percent(share: Fraction) -> str:
    """Show a share as a percentage when that is exact, else as the fraction itself."""
    return share_told(share)


@register.filter
def act_told(act: str) -> str:
    """Tell an act of the journal in the reader's language."""
    return act_name(act)


@register.filter
def number_name(name: str) -> str:
    """Call a dated number by what people call it."""
    return number_named(name)


@register.filter
def number_value(row: NumberLike | None) -> str:
    """Show the value of a dated number in its unit; an absent one as a dash."""
    return value_told(row.name, row.value) if row is not None else "—"


@register.filter
def number_source(source: str) -> str:
    """Tell in the reader's language where a dated number is from, as far as the text is our own."""
    return source_told(source)


@register.filter
def in_language(names: Mapping[str, str]) -> str:
    """Choose the reader's language of a name."""
    return localized(names)


@register.simple_tag
def moment(instant: datetime | None, zone: str = LEGAL_ZONE, seconds: bool = False) -> SafeString | str:
    """Show an instant in `zone` with the zone named, machine-readable beside."""
    if instant is None:
        return "—"
    return format_html(
        '<time datetime="{}">{} <small class="zone">{}</small></time>',
        instant.isoformat(),
        local_text(instant, zone, with_seconds=seconds),
        zone_name(zone),
    )


@register.filter
def parsed_moment(text: str | None) -> datetime | None:
    """Read an instant as documents of a bundle write it."""
    return datetime.fromisoformat(text) if text else None


@register.filter
def utc_text(instant: datetime) -> str:
    """Write an instant as documents of a bundle do."""
    return instant_text(instant)


@register.filter
def first_day(instant: datetime) -> str:
    """Show the legal day that begins at or holds an instant."""
    return day(legal_day(instant))


@register.filter
def last_day(until: datetime) -> str:
    """Show the last legal day of a term that ends before the instant `until`."""
    return day(legal_day(until - timedelta(microseconds=1)))


@register.filter
def day(given: date | None) -> str:
    """Show a calendar day as instants show theirs; an absent one as a dash."""
    if not given:
        return "—"
    return date_format(given, "j M Y" if get_language() == "en" else "d.m.Y", use_l10n=False)

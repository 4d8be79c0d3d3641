"""Small parts of pages that need a line of Python: ways, states, money, countdowns."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timeuntil
from django.utils.translation import gettext

from totalizator.core import clock
from totalizator.core.money import format_byn, plain_byn

register = template.Library()

# What a state means to who reads it: it goes on, it waits for somebody, it ended well, it ended badly. States that
# are not here only name themselves.
TONES: Mapping[str, str] = {
    "open": "good",
    "payable": "good",
    "active": "good",
    "approved": "good",
    "paid": "info",
    "announced": "info",
    "settled": "info",
    "confirmed": "good",
    "sent": "info",
    "requested": "warn",
    "unknown": "warn",
    "ending": "warn",
    "due": "warn",
    "closed": "warn",
    "resulted": "warn",
    "pending": "warn",
    "proposed": "warn",
    "held": "warn",
    "disputed": "warn",
    "cancelled": "bad",
    "refused": "bad",
    "blocked": "bad",
    "expired": "bad",
    "failed": "bad",
}


@register.filter
def tone(state: object) -> str:
    """Return the tone of a state: good, info, warn, bad, or quiet."""
    return TONES.get(str(state), "quiet")


@register.simple_tag(takes_context=True)
def way(context: Mapping[str, Any], label: str, to: str, *arguments: object) -> SafeString:
    """Show an item of navigation; the page that is being read is marked as current."""
    address = reverse(to, args=arguments)
    request: HttpRequest | None = context.get("request")
    current = request is not None and request.path == address
    return format_html('<li><a href="{}"{}>{}</a></li>', address, SafeString(' aria-current="page"' * current), label)


@register.simple_tag
def money(kopecks: int | None) -> SafeString | str:
    """Show kopecks as an amount that programs can read, too; an absent one as a dash."""
    if kopecks is None:
        return "—"
    return format_html('<data class="money" value="{}">{}</data>', plain_byn(kopecks), format_byn(kopecks))


@register.simple_tag
def countdown(until: datetime, now: datetime | None = None) -> SafeString:
    """Show how long it is to an instant: in words, which a script turns into a clock by the server's time.

    A page with many of them tells `now`, so that the clock is read once.
    """
    now = now or clock.now()
    over = gettext("closed")
    return format_html(
        '<span class="countdown" role="timer" data-until="{}" data-now="{}" data-days="{}" data-over="{}">{}</span>',
        until.isoformat(),
        now.isoformat(),
        gettext("{} d"),
        over,
        timeuntil(until, now, depth=2) if until > now else over,
    )


@register.filter
def labelled(cells: Iterable[object], columns: Iterable[object]) -> list[tuple[object, object]]:
    """Pair the cells of a row with the names of their columns, which they carry on a phone."""
    return list(zip(cells, columns, strict=True))

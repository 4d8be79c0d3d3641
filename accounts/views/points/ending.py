"""What ends soon, has ended or is missing, each with the page on which it is renewed (¶7, ¶9.4, ¶9.7, ¶35.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Agent, DocumentKind, Terminal, Till
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.point_documents import Expiry, expiring
from totalizator.core import clock
from totalizator.core.legal import legal_number
from totalizator.core.paging import page_of

PAPERS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Ending:
    """A paper in words, whose it is, where it is renewed, and its last day; None when it is not there at all."""

    whose: str
    what: str
    to: str
    last_day: date | None
    is_over: bool


@organizer_only
def ending_papers(request: PersonRequest) -> HttpResponseBase:
    """List them, what is missing first, then by the last day."""
    day = clock.today()
    within = int(legal_number("expiry_warning_days", day))
    found = sorted(expiring(day, within=within), key=lambda one: (one.last_day or date.min, one.subject, one.what))
    page = page_of(request, found, PAPERS_A_PAGE)
    context = {"page": page, "papers": _in_words(list(page), day), "within": within, "by_name": True}
    return render(request, "organizer/points/ending.html", context)


def _in_words(found: Sequence[Expiry], day: date) -> list[Ending]:
    named = _named(found)
    return [
        Ending(whose, _what(one.what), to, one.last_day, one.last_day is None or one.last_day < day)
        for one in found
        for whose, to in [named[one.subject]]
    ]


def _named(found: Sequence[Expiry]) -> dict[str, tuple[str, str]]:
    """Return by subject whose it is in words, and the address of its page; each kind is read in one question."""
    keys: dict[str, list[str]] = {}
    for one in found:
        kind, _colon, key = one.subject.partition(":")
        keys.setdefault(kind, []).append(key)
    named = {"organizer": (_("all points"), reverse("accounts:general_agreement"))}
    for code in keys.get("point", []):
        named[f"point:{code}"] = (_("point %(code)s") % {"code": code}, reverse("payouts:point", args=[code]))
    for till in Till.objects.filter(pk__in=keys.get("till", [])).select_related("point"):
        to = reverse("accounts:desk_till", args=[till.point.code, till.number])
        named[f"till:{till.pk}"] = (_("till %(till)s") % {"till": till}, to)
    for terminal in Terminal.objects.filter(pk__in=keys.get("terminal", [])):
        to = reverse("accounts:desk_terminal", args=[terminal.pk])
        named[f"terminal:{terminal.pk}"] = (_("Terminal %(terminal)s") % {"terminal": terminal}, to)
    for agent in Agent.objects.filter(pk__in=keys.get("agent", [])):
        named[f"agent:{agent.pk}"] = (agent.name, reverse("payouts:agent", args=[agent.pk]))
    return named


def _what(written: str) -> str:
    kind, _colon, number = written.partition(":")
    if kind == "document":
        return str(DocumentKind(number).label)
    words = {
        "certificate": _("examination certificate %(number)s"),
        "contract": _("contract %(number)s"),
        "agreement": _("agreement of the bank %(number)s"),
    }
    return words[kind] % {"number": number}

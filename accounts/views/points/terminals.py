"""Terminals: registered with a key that is shown once, certified, switched off and on (¶7, C1, G5)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import Q, QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.forms.points import KeyForm, SwitchForm, TermForm, TerminalForm
from accounts.models import EquipmentCertificate, Terminal, Till
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.points import terminals_on
from accounts.services.desks import links_since
from accounts.services.equipment import register_certificate
from accounts.services.switching import switch_terminal
from accounts.services.terminals import NewKey, register_terminal, renew_key
from accounts.views.asking import Question, ask, show_question
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.paging import kept, page_of

TERMINALS_A_PAGE = 50
STATES = ("", "on", "off", "closed")


@organizer_only
def terminals(request: PersonRequest) -> HttpResponseBase:
    """List the terminals, by serial number, point and state."""
    now, sought, state = clock.now(), request.GET.get("q", "").strip()[:60], request.GET.get("state", "")
    rows = _in_state(terminals_on(clock.today()).order_by("till__point__code", "till__number", "pk"), state)
    if sought:
        rows = rows.filter(Q(serial__icontains=sought) | Q(till__point__code__iexact=sought))
    context = {
        "page": page_of(request, rows, TERMINALS_A_PAGE),
        "today": clock.today(),
        "links_since": links_since(now),
        "sought": sought,
        "state": state if state in STATES else "",
        "keep": kept(request),
        "by_name": True,
    }
    return render(request, "organizer/points/terminals.html", context)


@organizer_only
def terminal(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a terminal."""
    shown = get_object_or_404(terminals_on(clock.today()), pk=number)
    context = {
        "terminal": shown,
        "today": clock.today(),
        "links_since": links_since(clock.now()),
        "certificates": EquipmentCertificate.objects.filter(terminal=shown).order_by("-pk")[:10],
    }
    return render(request, "organizer/points/terminal.html", context)


@organizer_only
def new_terminal(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Register a terminal at a till, and show its secret this once."""
    tills = Till.objects.select_related("point")
    till = get_object_or_404(tills, point__code=code, number=number)
    question = Question(
        title=_("New terminal at till %(till)s") % {"till": till},
        button=_("Register the terminal"),
        back=reverse("accounts:desk_till", args=[code, number]),
        back_to=_("till %(till)s") % {"till": till},
        about=_("It sells once it is examined and has synchronised. Its cash is that of the till."),
        said="",
    )
    return _give_key(request, TerminalForm(request.POST or None), partial(register_terminal, till=till), question)


@organizer_only
def new_key(request: PersonRequest, number: int) -> HttpResponseBase:
    """Give a terminal another key, and show its secret this once."""
    terminal = _terminal(number)
    question = _question(
        terminal,
        title=_("Another key for terminal %(terminal)s") % {"terminal": terminal},
        button=_("Give another key"),
        said="",
        warns=_("The key before signs nothing any more: the terminal stands still until the new one is put into it."),
    )
    form = KeyForm(request.POST if request.method == "POST" else None)
    return _give_key(request, form, partial(renew_key, terminal=terminal), question)


@organizer_only
def certificate(request: PersonRequest, number: int) -> HttpResponseBase:
    """Register the examination certificate of a terminal."""
    terminal = _terminal(number)
    question = _question(
        terminal,
        title=_("Examination certificate of terminal %(terminal)s") % {"terminal": terminal},
        button=pgettext("verb", "Register"),
        about=_("From its first day on it counts instead of those before, even of one that lasts longer (¶7)."),
        said=_("The certificate is registered."),
    )
    act = partial(register_certificate, equipment=terminal, by=request.user)
    return ask(request, TermForm(request.POST or None), act, question)


@organizer_only
def switch(request: PersonRequest, number: int) -> HttpResponseBase:
    """Switch a terminal off, or on again, and say why."""
    terminal = _terminal(number)
    form = SwitchForm(request.POST or None, stands=terminal.enabled)
    on, named = form.wanted, {"terminal": terminal}
    question = _question(
        terminal,
        title=_("Switch terminal %(terminal)s on") % named if on else _("Switch terminal %(terminal)s off") % named,
        button=_("Switch on") if on else _("Switch off"),
        said=_("The terminal is on.") if on else _("The terminal is off: its next request is refused."),
        warns="" if on else _("The next request that its key signs is refused."),
    )
    act = partial(switch_terminal, terminal=terminal, by=request.user)
    return ask(request, form, act, question)


def _give_key(
    request: PersonRequest, form: KeyForm, give: Callable[..., NewKey], question: Question
) -> HttpResponseBase:
    made: list[NewKey] = []
    if not done_by_form(form, lambda **told: made.append(give(**told, by=request.user))):
        return show_question(request, form, question)
    page = render(request, "organizer/points/terminal_key.html", {"made": made[0], "terminal": made[0].terminal})
    add_never_cache_headers(page)
    return page


def _in_state(rows: QuerySet[Terminal], state: str) -> QuerySet[Terminal]:
    match state:
        case "on" | "off":
            return rows.filter(closed_at__isnull=True, enabled=state == "on")
        case "closed":
            return rows.filter(closed_at__isnull=False)
    return rows


def _terminal(number: int) -> Terminal:
    return get_object_or_404(Terminal.objects.select_related("till__point"), pk=number)


def _question(terminal: Terminal, **said: Any) -> Question:
    back = reverse("accounts:desk_terminal", args=[terminal.pk])
    return Question(back=back, back_to=_("Terminal %(terminal)s") % {"terminal": terminal}, **said)

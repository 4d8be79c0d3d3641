"""Prepaid cards in stock, sent to points, blocked and opened again; one card found by its number (D2, D4)."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.forms.cards import BlockForm, FindCardForm, RangeForm, ShipmentForm
from accounts.ledger.balances import balance
from accounts.models import BettingPoint, CardReplacement, PrepaidCard
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.cards import IN_STOCK, unsold_at
from accounts.services.card_blocking import block_cards, unblock_cards
from accounts.services.card_numbers import read_number
from accounts.services.card_stock import ship_cards
from accounts.views.asking import Question, show_question
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.paging import kept, page_of

POINTS_A_PAGE = 25
_RANGE = ("series", "first", "last", "point", "reason")


@organizer_only
def stock(request: PersonRequest) -> HttpResponseBase:
    """Count the unsold cards of each point, by series and value."""
    code = request.GET.get("point", "").strip()[:12]
    cards = PrepaidCard.objects.filter(point=OuterRef("pk"), state__in=IN_STOCK)
    points = BettingPoint.objects.filter(Exists(cards)).order_by("code")
    if code:
        points = points.filter(code=code)
    page = page_of(request, points, POINTS_A_PAGE)
    lines: dict[str, list[dict[str, object]]] = {}
    for line in unsold_at([point.pk for point in page]):
        lines.setdefault(str(line["point__code"]), []).append(line)
    context = {
        "page": page,
        "shown": [(point, lines.get(point.code, [])) for point in page],
        "point": code,
        "keep": kept(request),
        "by_name": True,
    }
    return render(request, "organizer/cards/stock.html", context)


@organizer_only
def find(request: PersonRequest) -> HttpResponseBase:
    """Find a card by its number, and show what is known of it: never its code."""
    form, found = FindCardForm(request.GET or None), list[PrepaidCard]()
    done_by_form(form, lambda number: found.append(_card(number)))
    context: dict[str, object] = {"form": form}
    if found:
        card = found[0]
        context |= {
            "card": card,
            "balance": balance(card.ledger_account) if card.ledger_account is not None else None,
            "replaced_by": CardReplacement.objects.filter(damaged=card, approved_by__isnull=False)
            .select_related("replacement")
            .first(),
            "replaces": CardReplacement.objects.filter(replacement=card, approved_by__isnull=False)
            .select_related("damaged")
            .first(),
        }
    return render(request, "organizer/cards/card.html", context, status=400 if form.errors else 200)


@organizer_only
def ship(request: PersonRequest) -> HttpResponseBase:
    """Send a range of cards to a point: all of them, or none."""
    form = ShipmentForm(request.POST or None, initial=_initial(request))
    question = _question(
        title=_("Send cards to a point"),
        button=_("Send"),
        about=_("The cashier of the point takes them over; until their sale the cards are worthless."),
    )
    return _with_range(request, form, partial(ship_cards, shipped_by=request.user), question, _sent)


@organizer_only
def block(request: PersonRequest) -> HttpResponseBase:
    """Block a range of cards at once: none of them pays once this is done."""
    form = BlockForm(request.POST or None, initial=_initial(request))
    question = _question(
        title=_("Block cards"),
        button=_("Block"),
        about=_("What is on them stays, and what their bets win is credited. Another person can open them again."),
        warns=_("None of the cards pays once this is done."),
    )
    return _with_range(request, form, partial(block_cards, blocked_by=request.user), question, _blocked)


@organizer_only
def unblock(request: PersonRequest) -> HttpResponseBase:
    """Open a range of blocked cards again, by another person than who blocked them."""
    form = BlockForm(request.POST or None, initial=_initial(request))
    question = _question(
        title=_("Open blocked cards again"),
        button=_("Open again"),
        about=_("Another person does it than the one who blocked them."),
    )
    return _with_range(request, form, partial(unblock_cards, unblocked_by=request.user), question, _opened)


def _with_range(
    request: PersonRequest, form: RangeForm, move: Callable[..., int], question: Question, said: Callable[[int], str]
) -> HttpResponseBase:
    """Do something with all cards of a range, and say with how many."""
    done: list[int] = []
    if not done_by_form(form, lambda **told: done.append(move(cards=form.cards, **told))):
        return show_question(request, form, question)
    messages.success(request, said(done[0]))
    return redirect(question.back)


def _sent(count: int) -> str:
    return ngettext("%(count)s card is on its way.", "%(count)s cards are on their way.", count) % {"count": count}


def _blocked(count: int) -> str:
    return ngettext("%(count)s card is blocked.", "%(count)s cards are blocked.", count) % {"count": count}


def _opened(count: int) -> str:
    return ngettext("%(count)s card is open again.", "%(count)s cards are open again.", count) % {"count": count}


def _question(*, title: str, button: str, about: str, warns: str = "") -> Question:
    back, back_to = reverse("accounts:cards"), _("Prepaid cards")
    return Question(title=title, button=button, back=back, back_to=back_to, about=about, warns=warns, said="")


def _initial(request: PersonRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in _RANGE if name in request.GET}


def _card(typed: str) -> PrepaidCard:
    cards = PrepaidCard.objects.select_related(
        "batch", "point", "sold_at_till__point", "ledger_account", "blocked_by"
    ).filter(number=read_number(typed))
    card = cards.first()
    if card is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no card with this number."), field="number")
    return card

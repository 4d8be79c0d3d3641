"""A player's pages of staying away from play: for days, or for months; read back, then final (P2)."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.own_affairs import FinalPauseForm, PauseForm, term_words
from accounts.ledger.balances import balance
from accounts.models import Exclusion, User
from accounts.permissions import PersonRequest, only_reads_of, player_only
from accounts.queries.standing import standing_of
from accounts.services.exclusion import cool_off, cooling_off_until, exclude_oneself, self_exclusion_until
from accounts.services.game_accounts import open_game_account
from accounts.services.persons import person_of
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.idempotency import do_once, fingerprint_of
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import local_text
from totalizator.core.paging import page_of

EXCLUSIONS_A_PAGE = 25


@player_only
def exclusion(request: PersonRequest) -> HttpResponseBase:
    """Show whether the player is kept from play and for how long; take a wish, which is then read back."""
    open_game_account(player=request.user)
    form = PauseForm(request.POST or None)
    if form.is_bound and form.is_valid():
        return redirect(f"{reverse('accounts:final_exclusion')}?term={form.cleaned_data['term']}")
    return _page(request, form)


@player_only
def final_exclusion(request: PersonRequest) -> HttpResponseBase:
    """Read back for how long, and what becomes of bets and money; then it is final, once for each form."""
    account = open_game_account(player=request.user)
    if request.method != "POST":
        asked = PauseForm(request.GET)
        if not asked.is_valid():
            return redirect("accounts:exclusion")
        form = FinalPauseForm(initial={"term": asked.cleaned_data["term"]})
        unit, number = asked.wished()
        context = {
            "form": form,
            "months": unit == "months",
            "words": term_words(unit, number),
            "until": _until(unit, number, clock.now()),
            "balance": balance(account.ledger_account),
            "forward_hours": int(legal_numbers(clock.now())["exclusion_forward_hours"]),
        }
        return render(request, "player/account/final_exclusion.html", context)
    form = FinalPauseForm(request.POST)
    if not form.is_valid():
        return redirect("accounts:exclusion")
    try:
        _exclude(request.user, form)
    except DomainError as refusal:
        again = PauseForm({"term": form.cleaned_data["term"]})
        again.is_valid()
        again.add_error(None, str(refusal.message))
        return _page(request, again)
    until = Exclusion.objects.filter(person=person_of(request.user)).latest("ends_at").ends_at  # nothing shortens it
    messages.success(request, _("You are kept from play until %(until)s.") % {"until": local_text(until)})
    return redirect("accounts:exclusion")


def _exclude(player: User, form: FinalPauseForm) -> None:
    """Keep the player from play; the same form a second time does nothing more."""
    (unit, number), person = form.wished(), person_of(player)

    def act() -> object:
        if unit == "days":
            return cool_off(person=person, days=number, actor=player.actor)
        return exclude_oneself(person=person, months=number, actor=player.actor)

    do_once(
        scope=f"acts:{player.actor}",
        key=form.cleaned_data["token"],
        fingerprint=fingerprint_of("pause", unit, number),
        answer="",
        act=act,
    )


def _until(unit: str, number: int, at: datetime) -> datetime:
    return cooling_off_until(number, at) if unit == "days" else self_exclusion_until(number, at)


def _page(request: PersonRequest, form: PauseForm) -> HttpResponse:
    person, at = person_of(request.user), clock.now()
    standing = standing_of(person, at)
    rows = Exclusion.objects.filter(person=person).order_by("-begins_at", "-pk")
    context: dict[str, Any] = {
        "form": form,
        "until": standing.excluded_until,
        "restricted": standing.restricted,
        "page": page_of(request, rows, EXCLUSIONS_A_PAGE),
        "now": at,
        "reads_only": only_reads_of(request.user.game_account),
    }
    return render(request, "player/account/exclusion.html", context, status=400 if form.errors else 200)

"""Batches of prepaid cards: proposed, approved by another person, handed to the printer once (D1)."""

from collections.abc import Callable
from functools import partial

from django import forms
from django.db.models import Max, Min, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from accounts.forms.cards import BatchForm, FindCardForm, SealForm
from accounts.models import BatchState, CardBatch, CardReplacement, CardState
from accounts.models.cards import SPENT
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.cards import card_liability, cards_by_state
from accounts.services.card_batches import (
    MOST_ON_SHEETS,
    CardExport,
    approve_card_batch,
    export_card_batch,
    print_card_batch,
    propose_card_batch,
)
from accounts.views.asking import Question, ask, show_question
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import kept, page_of

BATCHES_A_PAGE = 25


@organizer_only
def cards(request: PersonRequest) -> HttpResponseBase:
    """List the batches, the latest first, with what is owed to bearers and what waits for another person."""
    state, rows = request.GET.get("state", ""), _batches().order_by("-pk")
    if state in BatchState.values:
        rows = rows.filter(state=state)
    context = {
        "find": FindCardForm(),
        "owed": sum(card_liability().values()),
        "page": page_of(request, rows, BATCHES_A_PAGE),
        "states": BatchState.choices,
        "chosen": state,
        "keep": kept(request),
        "replacements": CardReplacement.objects.filter(approved_by__isnull=True)
        .exclude(damaged__state=CardState.REPLACED)
        .count(),
    }
    return render(request, "organizer/cards/cards.html", context)


@organizer_only
def new_batch(request: PersonRequest) -> HttpResponseBase:
    """Propose to print cards."""
    question = Question(
        title=_("Propose a batch of cards"),
        button=_("Propose"),
        back=reverse("accounts:cards"),
        back_to=_("Prepaid cards"),
        about=_("Another person approves it. The cards come into being when they are handed to the printer."),
        said=_("Another person has to approve it now."),
    )
    return ask(
        request, BatchForm(request.POST or None), partial(propose_card_batch, proposed_by=request.user), question
    )


@organizer_only
def batch(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a batch with its cards by state."""
    shown = get_object_or_404(_batches(), pk=number)
    by_state = cards_by_state(shown)
    names = dict(CardState.choices) | {SPENT: _("sold, nothing left on it")}
    context = {
        "batch": shown,
        "numbers": shown.cards.aggregate(first=Min("number"), last=Max("number")),
        "by_state": [(state, names[state], count) for state, count in by_state.items()],
        "most_on_sheets": MOST_ON_SHEETS,
        "person": request.user,
    }
    return render(request, "organizer/cards/batch.html", context)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Approve a batch that another person proposed."""
    approved = get_object_or_404(_batches(), pk=number)
    do_by_button(
        request,
        partial(approve_card_batch, batch=approved, approved_by=request.user),
        said=_("The batch is approved. It can be handed to the printer now, once."),
    )
    return redirect("accounts:card_batch", number=number)


@organizer_only
def export(request: PersonRequest, number: int) -> HttpResponseBase:
    """Make the cards and hand them out for the printer, sealed under a passphrase: once."""
    exported = get_object_or_404(_batches(), pk=number)

    def act(*, passphrase: str, again: str) -> CardExport:  # noqa: ARG001
        return export_card_batch(batch=exported, passphrase=passphrase, exported_by=request.user)

    question = _question(
        exported,
        title=_("Sealed file for the printer: batch no. %(number)s") % {"number": number},
        button=_("Make the cards and give the file"),
        about=_("Give the passphrase, 16 characters at least, to the printer another way than the file."),
    )
    return _given(request, SealForm(request.POST or None), act, question, "application/octet-stream")


@organizer_only
def sheets(request: PersonRequest, number: int) -> HttpResponseBase:
    """Make the cards and hand them out as sheets to print in the house: once."""
    exported = get_object_or_404(_batches(), pk=number)
    form = forms.Form(request.POST if request.method == "POST" else None)
    question = _question(
        exported,
        title=_("Sheets to print in the house: batch no. %(number)s") % {"number": number},
        button=_("Make the cards and give the sheets"),
        about=_("Whoever sees a sheet sees the codes: print it where nobody else comes."),
    )
    act = partial(print_card_batch, batch=exported, exported_by=request.user)
    return _given(request, form, act, question, "application/pdf")


def _given(
    request: PersonRequest, form: forms.Form, act: Callable[..., CardExport], question: Question, media_type: str
) -> HttpResponseBase:
    made: list[CardExport] = []
    if not done_by_form(form, lambda **told: made.append(act(**told))):
        return show_question(request, form, question)
    name = made[0].file_name
    answer = HttpResponse(
        made[0].content,
        content_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
    add_never_cache_headers(answer)
    return answer


def _question(batch: CardBatch, *, title: str, button: str, about: str) -> Question:
    return Question(
        title=title,
        button=button,
        back=reverse("accounts:card_batch", args=[batch.pk]),
        back_to=_("Batch no. %(number)s") % {"number": batch.pk},
        about=about,
        said="",
        warns=_("This is done once. If the file is lost, so are its cards: block them, and propose another batch."),
    )


def _batches() -> QuerySet[CardBatch]:
    return CardBatch.objects.select_related("proposed_by", "approved_by")

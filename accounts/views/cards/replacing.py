"""Damaged prepaid cards: one person proposes another card with a proof, another approves it (D4)."""

from functools import partial

from django.contrib import messages
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.cards import ReplacementForm
from accounts.models import CardReplacement
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.card_replacing import approve_replacement, propose_replacement
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

REPLACEMENTS_A_PAGE = 25


@organizer_only
def replacements(request: PersonRequest) -> HttpResponseBase:
    """List the replacements, the latest first; propose one."""
    form = ReplacementForm(request.POST or None, initial={"damaged": request.GET.get("damaged", "")})
    if done_by_form(form, partial(propose_replacement, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:card_replacements")
    page = page_of(request, _replacements().order_by("-pk"), REPLACEMENTS_A_PAGE)
    context = {"form": form, "page": page, "person": request.user}
    return render(request, "organizer/cards/replacements.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Give the damaged card's money to the new one."""
    proposal = get_object_or_404(_replacements(), pk=number)
    do_by_button(
        request,
        partial(approve_replacement, proposal=proposal, approved_by=request.user),
        said=_("The card is replaced: the new one pays from now on."),
    )
    return redirect("accounts:card_replacements")


def _replacements() -> QuerySet[CardReplacement]:
    return CardReplacement.objects.select_related("damaged", "replacement", "proposed_by", "approved_by")

"""The organizer's page of games that end: never with money left in the jackpot, and by two people (J3)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.models import GameEnd, GameEndProposal, JackpotGame
from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import GameEndForm
from payouts.queries.jackpot import jackpot_balance
from payouts.services.game_ends import approve_game_end, propose_game_end
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

PROPOSALS_A_PAGE = 25


@organizer_only
def game_ends(request: PersonRequest) -> HttpResponseBase:
    """Show both games with their jackpots, and what is proposed; propose that a game ends."""
    form = GameEndForm(request.POST or None, request.FILES or None)
    if done_by_form(form, partial(_propose, request)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:game_ends")
    ended = {end.game: end for end in GameEnd.objects.select_related("approved_by")}
    proposals = GameEndProposal.objects.select_related("proposed_by", "decision__approved_by").order_by("-pk")
    page = page_of(request, proposals, PROPOSALS_A_PAGE)
    latest = set(proposals.order_by("game", "-pk").distinct("game").values_list("pk", flat=True))
    context = {
        "form": form,
        "games": [(game.label, jackpot_balance(game.value), ended.get(game.value)) for game in JackpotGame],
        "page": page,
        "shown": [
            (each, each.pk in latest and each.game not in ended, getattr(each, "decision", None)) for each in page
        ],
        "person": request.user,
    }
    return render(request, "organizer/money/game_ends.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """End the game as another person proposed."""
    proposal = get_object_or_404(GameEndProposal, pk=number)
    do_by_button(
        request, partial(approve_game_end, proposal=proposal, approved_by=request.user), said=_("The game has ended.")
    )
    return redirect("payouts:game_ends")


def _propose(request: PersonRequest, *, file: bytes, **told: object) -> None:
    propose_game_end(content=file, proposed_by=request.user, **told)  # type: ignore[arg-type]

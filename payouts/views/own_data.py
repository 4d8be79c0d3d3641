"""A player's page of all that is kept of the player: what there is, and the file with it (S2)."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.permissions import PersonRequest, player_though_ended
from accounts.services.game_accounts import open_game_account
from payouts.queries.own_data import SUBJECTS
from payouts.services.own_data import EXPORTS_A_DAY, export_own_data
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import told
from totalizator.engine.deadlines import legal_day


@player_though_ended
def own_data(request: PersonRequest) -> HttpResponseBase:
    """Say what is kept of the player; the button hands it out."""
    open_game_account(player=request.user)
    if request.method != "POST":
        context = {"subjects": SUBJECTS, "a_day": EXPORTS_A_DAY}
        return render(request, "player/account/data.html", context)
    try:
        content = export_own_data(player=request.user)
    except DomainError as refusal:
        messages.error(request, told(refusal))
        return redirect("payouts:my_data")
    name = f"{request.user.pk}_{legal_day(clock.now())}.zip"
    disposition = f'attachment; filename="my_data_{name}"'
    return HttpResponse(content, content_type="application/zip", headers={"Content-Disposition": disposition})

"""Whether a player's notices come by e-mail too (K6)."""

from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, player_only
from payouts.forms.mine import WishForm
from payouts.queries.notice_choices import wants_letters
from payouts.services.notice_choices import choose_letters
from totalizator.core.acting import do_by_button


@player_only
def notice_settings(request: PersonRequest) -> HttpResponseBase:
    """Show where notices go, and change it."""
    form = WishForm(request.POST or None)
    if form.is_bound and form.is_valid():
        wanted: bool = form.cleaned_data["wanted"]
        said = _("Notices come by e-mail too.") if wanted else _("Notices come by e-mail no more.")
        do_by_button(request, partial(choose_letters, player=request.user, wanted=wanted), said=said)
        return redirect("payouts:notice_settings")
    context = {"letters": wants_letters(request.user)}
    return render(request, "player/notice_settings.html", context, status=400 if form.errors else 200)

"""Accepting a version of the rules on the site, as a player must before a bet under it (¶9.9)."""

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, player_only
from pools.services.rules import accept_rules


@player_only
def accept(request: PersonRequest, version: str) -> HttpResponseBase:
    """Note the consent, and go back to the text that was accepted."""
    if request.method == "POST":
        accept_rules(player=request.user, version=version)
        messages.success(request, _("You have accepted these rules."))
    return redirect("pools:rules", version=version)

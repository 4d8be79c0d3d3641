"""The organizer's page of the jackpots: what they hold, how they came to it, adding to them (J1, ¶16-17, ¶37-38)."""

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.ledger.kinds import TransferKind
from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.tickets import JackpotForm
from payouts.queries import jackpot_history, jackpot_undrawn_this_year
from payouts.services.jackpot import WARNING_FROM_MONTH, add_to_jackpot
from payouts.views.home import listed_jackpots
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal

LATEST = 60


@organizer_only
def jackpots(request: PersonRequest) -> HttpResponseBase:
    """Show both jackpots with their moves; take the organizer's money for one of them."""
    form = JackpotForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            added = add_to_jackpot(
                game=form.cleaned_data["game"],
                amount=form.kopecks(),
                document=form.cleaned_data["document"],
                actor=request.user,
            )
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            said = (
                _("The money is in the jackpot.") if added else _("This document was booked before; nothing was added.")
            )
            messages.info(request, said)
            return redirect("payouts:jackpots")
    today = clock.today()
    shown = [
        {
            "jackpot": jackpot,
            "moves": [
                (move, [(TransferKind(kind).label, amount) for kind, amount in move.parts.items()])
                for move in reversed(jackpot_history(jackpot.owner)[-LATEST:])
            ],
            "warns": today.month >= WARNING_FROM_MONTH and jackpot_undrawn_this_year(jackpot.owner, on=today),
        }
        for jackpot in listed_jackpots()
    ]
    return render(
        request, "organizer/jackpots.html", {"shown": shown, "form": form}, status=400 if form.errors else 200
    )

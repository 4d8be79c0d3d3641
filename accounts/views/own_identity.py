"""A player's page of who the player is: what is recorded, whether staff have seen it, what is missing (¶35.3, E1)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.own_affairs import IdentityForm
from accounts.models import BettingPoint, Identity, Verification
from accounts.permissions import PersonRequest, only_reads_of, player_only
from accounts.services.game_accounts import open_game_account
from accounts.services.identity import record_identity
from accounts.services.persons import person_of
from accounts.views.topping_up import barred
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.legal import legal_numbers

POINTS_SHOWN, SHOWN_SIGNS = 50, 3


@player_only
def my_identity(request: PersonRequest) -> HttpResponseBase:
    """Show how far the identification is; until staff have seen the document, take what it says."""
    account = open_game_account(player=request.user)
    form = IdentityForm(request.POST or None)
    if done_by_form(form, partial(record_identity, player=request.user, actor=request.user.actor)):
        messages.success(request, _("It is recorded. Now let a cashier or the organizer see your document."))
        return redirect("accounts:my_identity")
    person = person_of(request.user)
    verification = Verification.objects.filter(person=person).first()
    identity = Identity.objects.filter(person=person).first()
    points = BettingPoint.objects.filter(enabled=True).exclude(address="").order_by("address", "code")
    context = {
        "form": form,
        "identity": identity,
        "number": _hidden(identity.identity_number) if identity is not None else "",
        "bank_account": _hidden(identity.bank_account) if identity is not None else "",
        "verification": verification,
        "now": 3 if verification is not None else 2 if identity is not None else 1,
        "steps": [_("What your document says"), _("The document is seen"), _("You can bet")],
        "barred": barred(request.user),
        "minimum_age": int(legal_numbers(clock.now())["minimum_age"]),
        "points": points[:POINTS_SHOWN] if verification is None else (),
        "reads_only": only_reads_of(account),
    }
    return render(request, "player/account/identity.html", context, status=400 if form.errors else 200)


def _hidden(text: str) -> str:
    """Return the last signs of what is nobody's business who looks over a shoulder."""
    return f"•••• {text[-SHOWN_SIGNS:]}" if text else ""

"""A player's document at the desk: typed from it, the recorded name compared with it, verified once (¶35.3, E1)."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from accounts.models import User, Verification, VerificationMethod
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.identity import name_to_compare, refuse_other_document, verify_identity
from payouts.forms.desk import IdentifiedForm, IdentifyForm
from payouts.views.desk.frame import show_desk, show_refused
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import add_refusal


@cashier_only
def identify(request: PersonRequest) -> HttpResponseBase:
    """Compare a player with the document: first what it says, then the name; no money moves, no shift is needed."""
    compared = "compared" in request.POST
    form = (IdentifiedForm if compared else IdentifyForm)(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return _page(request, form, status=400 if form.is_bound else 200)
    shown: dict[str, Any] = {name: form.cleaned_data[name] for name in ("identity_number", "birth_date")}
    try:
        player = _player_named(form.cleaned_data["username"])
        if not compared:
            name = name_to_compare(player=player, **shown, asked_by=request.user)
            told = {"username": player.username, **shown, "compared": True}
            return _page(request, IdentifiedForm(initial=told), player=player, name=name)
        replayed = Verification.objects.filter(person__player=player, verified_by=request.user).exists()
        if not replayed:
            refuse_other_document(player=player, **shown, field="identity_number")
            verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=request.user)
    except DomainError as refused:
        refusal = _at_its_field(refused)
        if compared or refusal.field not in form.fields:
            return show_refused(request, refusal)
        add_refusal(form, refusal)
        return _page(request, form, status=refusal.http_status)
    return show_desk(request, "cashier/identified.html", answer=200 if replayed else 201, player=player)


def _player_named(username: str) -> User:
    player = User.objects.filter(username=username, game_account__isnull=False).first()
    if player is None:
        raise DomainError(Refusal.NOT_FOUND, _("No player has this name."), field="username")
    return player


def _at_its_field(refusal: DomainError) -> DomainError:
    """Name the field of the form that a refusal of the player is about."""
    if refusal.field != "player":
        return refusal
    return DomainError(refusal.code, refusal.message, field="username")


def _page(request: PersonRequest, form: IdentifyForm, *, status: int = 200, **more: object) -> HttpResponseBase:
    return show_desk(request, "cashier/identify.html", answer=status, form=form, **more)

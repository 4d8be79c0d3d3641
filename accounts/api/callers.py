"""Who asks, as the services want them."""

from typing import cast

from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request

from accounts.models import GameAccount, Terminal, Till, User
from totalizator.core.errors import DomainError, Refusal


def person_asking(request: Request) -> User:
    """Return who is logged in; call it where a permission has let only people in."""
    return cast(User, request.user)


def account_asking(request: Request) -> GameAccount:
    """Return the player's game account; :raises DomainError: NOT_ALLOWED for who has none."""
    account = GameAccount.objects.select_related("ledger_account", "player").filter(player=person_asking(request))
    found = account.first()
    if found is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a player with a game account can do this."))
    return found


def terminal_asking(request: Request) -> Terminal:
    """Return the terminal that signed the request; call it where a permission has let only terminals in."""
    return cast(Terminal, request.auth)


def till_asking(request: Request) -> Till:
    """Return the cashier's till; :raises DomainError: NOT_ALLOWED for who works at none."""
    till = Till.objects.select_related("point", "ledger_account").filter(cashier=person_asking(request)).first()
    if till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can do this."))
    return till

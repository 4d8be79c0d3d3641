"""Who asks, as the services want them."""

from collections.abc import Callable
from typing import cast

from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request

from accounts.models import BettingPoint, GameAccount, Terminal, Till, User
from totalizator.core.api.bodies import idempotency_key
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import do_once, fingerprint_of


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


def point_named(code: str) -> BettingPoint:
    """Return a betting point; :raises DomainError: NOT_FOUND."""
    point = BettingPoint.objects.filter(code=code).first()
    if point is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such betting point."), field="point")
    return point


def account_named(username: str) -> GameAccount:
    """Return a player's game account; :raises DomainError: NOT_FOUND."""
    accounts = GameAccount.objects.select_related("ledger_account", "player__person")
    account = accounts.filter(player__username=username).first()
    if account is None:
        raise DomainError(Refusal.NOT_FOUND, _("No player has this name."), field="username")
    return account


def once(request: Request, act: Callable[[], object], name: str, *parts: object, answer: object = "") -> str:
    """Do an act that keeps no keys itself once for each key of who asks; return the first request's `answer`.

    `name` and `parts` tell the act from every other. The keys are this function's own, so that who waits for one
    holds nothing that the other wants (docs/locking.md).

    :raises DomainError: BAD_VALUE without a key, KEY_REUSED, and what `act` refuses.
    """
    return do_once(
        scope=f"acts:{person_asking(request).actor}",
        key=idempotency_key(request),
        fingerprint=fingerprint_of(name, *parts),
        answer=str(answer),
        act=act,
    )

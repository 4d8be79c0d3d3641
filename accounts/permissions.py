"""Who may open a page or call the API: one role a person, so a decorator or a permission a role (R1)."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import AccountState, GameAccount, Role, Terminal, User

P = ParamSpec("P")
_ENDED = (AccountState.ENDING, AccountState.ENDED)


class PersonRequest(HttpRequest):
    """A request by someone who is logged in."""

    user: User


PersonView = Callable[Concatenate[PersonRequest, P], HttpResponseBase]
AnyView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def only(*roles: Role, though_ended: bool = False) -> Callable[[PersonView[P]], AnyView[P]]:
    """Open a page to these roles only: others get 403, who is not logged in is asked to log in.

    `though_ended`: a player whose registration ends can act on it, too.
    """

    def decorate(view: PersonView[P]) -> AnyView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if role_of(request) not in roles or (only_reads(request) and not though_ended):
                raise PermissionDenied
            return view(cast(PersonRequest, request), *args, **kwargs)

        return cast(AnyView[P], login_required(guarded))

    return decorate


player_only = only(Role.PLAYER)
player_though_ended = only(Role.PLAYER, though_ended=True)
"""For what stays the player's right when the registration ends: the own data, and the log-in itself."""
cashier_only = only(Role.CASHIER)
commission_only = only(Role.COMMISSION)
organizer_only = only(Role.ORGANIZER)
inspector_only = only(Role.REGULATOR, Role.ORGANIZER)
seller_only = only(Role.PLAYER, Role.CASHIER)
"""Who can place a bet: a player from the game account, a cashier for cash."""


def role_of(request: HttpRequest | Request) -> Role | None:
    """Return the role of who asks; None for who is not logged in."""
    user = request.user
    return Role(user.role) if isinstance(user, User) and user.is_active else None


def only_reads(request: HttpRequest | Request) -> bool:
    """Tell whether a request would change something for a player whose registration ends: the log-in only reads."""
    if request.method in ("GET", "HEAD", "OPTIONS") or role_of(request) != Role.PLAYER:
        return False
    account = own_account(request)
    return account is not None and account.state in _ENDED


def own_account(request: HttpRequest | Request) -> GameAccount | None:
    """Return the game account of who is logged in, which has been read together with the person."""
    return getattr(request.user, "game_account", None)


def only_reads_of(account: GameAccount) -> bool:
    """Tell whether the registration ends, so that its log-in only reads: then no page of it offers an act."""
    return account.state in _ENDED


def terminal_of(request: Request) -> Terminal | None:
    """Return the terminal that signed the request, if one did."""
    return request.auth if isinstance(request.auth, Terminal) else None


class _Callers(BasePermission):
    """Lets some roles in, and terminals where it says so."""

    roles: tuple[Role, ...] = ()
    terminals = False

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        """Tell whether who asks is one of them."""
        if self.terminals and terminal_of(request) is not None:
            return True
        return role_of(request) in self.roles and not only_reads(request)


class ArePlayers(_Callers):
    """For players, whose own affairs these are."""

    message = _("Only a player can do this.")
    roles = (Role.PLAYER,)


class AreCashiers(_Callers):
    """For cashiers: in person, or at the terminal of their till."""

    message = _("Only a cashier can do this.")
    roles = (Role.CASHIER,)


class AreTerminals(_Callers):
    """For terminals, which sign their requests."""

    message = _("Only a terminal can do this.")
    terminals = True


class CanPlaceBets(_Callers):
    """For players, from their accounts, and for cashiers and terminals, for cash."""

    message = _("Only a player, a cashier or a terminal can do this.")
    roles = (Role.PLAYER, Role.CASHIER)
    terminals = True


class CanOrderBets(_Callers):
    """For players, and for cashiers on behalf of who stands before them."""

    message = _("Only a player or a cashier can do this.")
    roles = (Role.PLAYER, Role.CASHIER)


class _InPerson(_Callers):
    """Lets people in and no terminal: for acts of two people, of whom a machine is none."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Tell whether who asks is one of them, and a person."""
        return terminal_of(request) is None and super().has_permission(request, view)


class AreStaff(_InPerson):
    """For the organizer's staff."""

    message = _("Only the organizer's staff can do this.")
    roles = (Role.ORGANIZER,)


class AreInspectors(_InPerson):
    """For the regulator, who only reads, and the organizer's staff (N6)."""

    message = _("Only the regulator or the organizer's staff can do this.")
    roles = (Role.REGULATOR, Role.ORGANIZER)


class AreCommissionOrStaff(_InPerson):
    """For members of commissions and the organizer's staff."""

    message = _("Only a member of the commission or the organizer's staff can do this.")
    roles = (Role.COMMISSION, Role.ORGANIZER)


class CommissionDecides(_InPerson):
    """For members of commissions; the organizer's staff read what they did, and decide nothing (R1)."""

    message = _("Only a member of the commission can do this.")
    roles = (Role.COMMISSION,)

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Tell whether who asks is one of them, or of the staff and only reads."""
        reads = request.method in SAFE_METHODS and role_of(request) == Role.ORGANIZER
        return reads or super().has_permission(request, view)


class AreDeskPeople(_InPerson):
    """For cashiers and the organizer's staff."""

    message = _("Only a cashier or the organizer's staff can do this.")
    roles = (Role.CASHIER, Role.ORGANIZER)


class AreAtDesks(_Callers):
    """For cashiers, in person or at the terminal of their till, and the organizer's staff."""

    message = _("Only a cashier or the organizer's staff can do this.")
    roles = (Role.CASHIER, Role.ORGANIZER)


class ArePlayersOrStaff(_Callers):
    """For players, whose own these are, and the organizer's staff."""

    message = _("Only a player or the organizer's staff can do this.")
    roles = (Role.PLAYER, Role.ORGANIZER)


class ArePlayersOrDeskPeople(_Callers):
    """For players, whose own these are, cashiers and the organizer's staff."""

    message = _("Only a player, a cashier or the organizer's staff can do this.")
    roles = (Role.PLAYER, Role.CASHIER, Role.ORGANIZER)

"""A player's page of what guards the log-in: password, second factor, passkeys, where it is logged in (E3)."""

from allauth.mfa.models import Authenticator
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.models import Trait, TraitKind
from accounts.permissions import PersonRequest, player_only, player_though_ended
from accounts.services.game_accounts import open_game_account
from accounts.services.persons import person_of
from totalizator.core import clock
from totalizator.core.legal import legal_numbers

DEVICES_SHOWN = 20
# Each of them says that it is those after it, too.
_BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "YaBrowser/": "Yandex Browser", "SamsungBrowser/": "Samsung Internet"}
_BROWSERS |= {"Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
_SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iPadOS", "Windows": "Windows", "Mac OS X": "macOS"}
_SYSTEMS |= {"Linux": "Linux"}


@player_only
def security(request: PersonRequest) -> HttpResponseBase:
    """Show what guards the log-in, and where it is in use."""
    open_game_account(player=request.user)
    kinds = list(Authenticator.objects.filter(user=request.user).values_list("type", flat=True))
    sessions = sorted(
        UserSession.objects.purge_and_list(request.user), key=lambda each: each.last_seen_at, reverse=True
    )
    devices = Trait.objects.filter(person=person_of(request.user), kind=TraitKind.DEVICE)
    numbers = legal_numbers(clock.now())
    context = {
        "codes": Authenticator.Type.TOTP in kinds,
        "recovery": Authenticator.Type.RECOVERY_CODES in kinds,
        "keys": kinds.count(Authenticator.Type.WEBAUTHN),
        "sessions": [(each, _browser(each.user_agent)) for each in sessions],
        "others": len(sessions) > 1,
        "current": request.session.session_key,
        "devices": devices.order_by("-first_seen_at").values_list("first_seen_at", flat=True)[:DEVICES_SHOWN],
        "idle_minutes": int(numbers["idle_minutes_player"]),
        "hold_hours": int(numbers["withdrawal_hold_hours"]),
    }
    return render(request, "player/account/security.html", context)


@player_though_ended
def end_other_log_ins(request: PersonRequest) -> HttpResponseBase:
    """Log out everywhere but here."""
    if request.method == "POST":
        end_other_sessions(request, request.user)
        messages.success(request, _("You are logged out everywhere but here."))
    return redirect("accounts:security")


def _browser(user_agent: str) -> str:
    """Say what a browser calls itself as people call it: `Chrome, Android`; else as it does."""
    found = [next((name for sign, name in known.items() if sign in user_agent), "") for known in (_BROWSERS, _SYSTEMS)]
    return ", ".join(filter(None, found)) or user_agent[:60] or "—"

"""Log-ins end: after a while without a request, and however busy they are, after half a day (E3)."""

from collections.abc import Callable, Mapping
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from accounts.models import Role, User
from totalizator.core import clock
from totalizator.core.legal import legal_numbers

# In the session, in seconds since 1970. The second is written once a minute at most: so a log-in ends up to a minute
# early, never late.
BEGUN, SEEN = "begun", "seen"
SEEN_EACH_SECONDS = 60

# A page that asks for what is new by itself, with nobody before it, sends this; it keeps no log-in alive.
BY_ITSELF = "X-By-Itself"


class EndingOfLogIns:
    """Log out who made no request for so long as the dated settings say, or logged in 12 hours ago."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Look at the session before the page does; a new log-in begins its time with the answer."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES and isinstance(request.user, User):
            _go_on(request, request.user)
        response = self.get_response(request)
        if request.session.modified and isinstance(request.user, User) and BEGUN not in request.session:
            _note(request, clock.now())
        return response


def minutes_here(request: HttpRequest, at: datetime) -> int:
    """Return for how many whole minutes the person has been logged in (P3)."""
    begun = request.session.get(BEGUN)
    return 0 if begun is None else max(0, int(at.timestamp()) - begun) // 60


def _go_on(request: HttpRequest, user: User) -> None:
    at = clock.lately()
    if BEGUN not in request.session:
        _note(request, at)
    elif _is_over(request.session, user, at):
        logout(request)
        messages.info(request, _("You were logged out because nothing was done for a while. Log in again."))
    elif BY_ITSELF not in request.headers and at.timestamp() - request.session[SEEN] >= SEEN_EACH_SECONDS:
        _note(request, at)


def _is_over(session: Mapping[str, int], user: User, at: datetime) -> bool:
    who = "player" if user.role == Role.PLAYER else "staff"
    idle = 60 * int(legal_numbers(at)[f"idle_minutes_{who}"])
    now = at.timestamp()
    return now - session[SEEN] >= idle or now - session[BEGUN] >= settings.SESSION_COOKIE_AGE


def _note(request: HttpRequest, at: datetime) -> None:
    """Write down that the log-in is in use, in the session and in the list that its owner sees."""
    seconds = int(at.timestamp())
    request.session.setdefault(BEGUN, seconds)
    request.session[SEEN] = seconds
    UserSession.objects.create_from_request(request)

"""What is somebody's own stays in nobody's cache, and goes from the browser when they log out."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class NothingIsKept:
    """Let no cache keep what the API answers, or a page for who is logged in, unless it says how long it is good."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and add the headers."""
        somebodys = request.path.startswith("/api/") or _is_logged_in(request)
        response = self.get_response(request)
        if somebodys:
            response.headers.setdefault("Cache-Control", "no-store")
            if request.method == "POST" and _view(request) == "account_logout":
                response.headers["Clear-Site-Data"] = '"cache"'
        return response


def _is_logged_in(request: HttpRequest) -> bool:
    """Tell whether somebody asks; who comes without a session is asked nothing."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated


def _view(request: HttpRequest) -> str:
    """Name the view that answers; nothing where none was found."""
    return request.resolver_match.view_name if request.resolver_match is not None else ""

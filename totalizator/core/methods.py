"""The methods of HTTP that the site knows: whatever else is asked for is refused before any page sees it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


class KnownMethods:
    """Answer 405 to TRACE, which would show what the browser sent, and to whatever else nobody needs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or refuse the method."""
        return self.get_response(request) if request.method in METHODS else HttpResponseNotAllowed(METHODS)

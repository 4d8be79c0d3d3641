"""What is somebody's own stays in nobody's cache."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class NothingIsKept:
    """Let no cache keep an answer of the API that does not say itself how long it is good."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and add the header."""
        response = self.get_response(request)
        if request.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

"""Each request gets a number, is counted and timed by the name of its view, and in production is a line of the log."""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any
from uuid import uuid4

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from totalizator.core.watching.context import begin, end, note
from totalizator.core.watching.metrics import REQUEST_SECONDS, REQUESTS

HEADER = "X-Request-ID"
_NUMBER = re.compile(r"[0-9A-Za-z-]{8,64}")
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_NAMED = {"code": "pool", "ticket": "bet"}
logger = logging.getLogger("totalizator.requests")


class Watching:
    """Stands before everything else, so that it sees every answer; it changes nothing but a header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and add the number: the caller's, where it is one, or a new one."""
        number = request.headers.get(HEADER, "")
        if not _NUMBER.fullmatch(number):
            number = str(uuid4())
        token, began = begin(request=number), perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = number
            _count(request, response.status_code, perf_counter() - began)
        finally:
            end(token)
        return response

    def process_view(self, request: HttpRequest, _view: Callable[..., Any], _args: Any, kwargs: dict[str, Any]) -> None:
        """Note which pool and bet the address names; who is logged in only where somebody asked already."""
        user = getattr(getattr(request, "_cached_user", None), "pk", None)
        known = {about: str(kwargs[name])[:80] for name, about in _NAMED.items() if name in kwargs}
        if user is not None:
            known["user"] = str(user)
        if known:
            note(**known)


def _count(request: HttpRequest, status: int, seconds: float) -> None:
    match = request.resolver_match
    view = (match.view_name or "unnamed") if match is not None else "none"
    method = request.method if request.method in _METHODS else "other"
    REQUESTS.labels(view, method, str(status)).inc()
    REQUEST_SECONDS.labels(view).observe(seconds)
    if logger.isEnabledFor(logging.INFO):
        measured = {"view": view, "method": method, "status": status, "milliseconds": round(seconds * 1000, 1)}
        logger.info("%s %s", method, view, extra=measured)

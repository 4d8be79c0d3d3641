"""Who was refused what, in the log: no log-in, no right, too often, too much. Without personal data or codes."""

import logging
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from totalizator.core.throttle import network_subject

logger = logging.getLogger("totalizator.security")
TOLD = frozenset({400, 401, 403, 405, 413, 429})
_LONGEST = 200


class RefusalLog:
    """Log one line for each answer that refuses who asked or how: which address was asked for, not what was said.

    Query and body are never written: they could hold names and codes. A path holds numbers of tickets and pools.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and tell of a refusal."""
        response = self.get_response(request)
        if response.status_code in TOLD:
            words = (request.method, _one_line(request.path), response.status_code, _who(request))
            logger.warning("refused %s %s: %s, %s, %s", *words, network_subject(request))
        return response


def _who(request: HttpRequest) -> str:
    """Name who is logged in, if that is known already: no question is asked for the log's sake."""
    user = request.__dict__.get("_cached_user")
    return str(getattr(user, "actor", "nobody"))


def _one_line(text: str) -> str:
    """Return a text that stays one line of the log whatever stands in it."""
    return text[:_LONGEST].encode("unicode_escape").decode()

"""How many requests are answered: by person, by terminal, or by the network that nobody has named themselves to.

It keeps one client from taking the others' share. Guessing is another matter: `core/throttle.py` counts it in the
database. Each web process counts for itself, so that counting costs no query, unless CACHES["process"] is a shared one.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from totalizator.core.throttle import network_subject

if TYPE_CHECKING:  # the settings name this module, and views read the settings
    from rest_framework.views import APIView


class FairShare(SimpleRateThrottle):
    """So many requests a minute for each caller; more are answered 429 with `Retry-After`."""

    def __init__(self) -> None:
        """Leave the rate to the caller's kind."""
        self.cache = caches["process"]

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request, and tell whether it is still within the share."""
        self.scope = _caller(request).partition(":")[0]
        self.rate = settings.API_RATES[self.scope]
        self.num_requests, self.duration = self.parse_rate(self.rate)
        allowed: bool = super().allow_request(request, view)
        return allowed

    def get_cache_key(self, request: Request, view: "APIView") -> str:  # noqa: ARG002
        """Name who is counted; never by a header that the client writes."""
        return f"api:{_caller(request)}"


def _caller(request: Request) -> str:
    """Name the caller: `terminal:5`, which has an actor's name of its own, `user:7`, or `network:192.0.2.7`."""
    own_name = getattr(request.auth, "actor", None)
    if own_name is not None:
        return str(own_name)
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    return network_subject(request._request)

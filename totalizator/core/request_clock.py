"""When a request came, read from the database's clock once, however many parts of its answer ask."""

from datetime import datetime

from django.http import HttpRequest

from totalizator.core import clock

_KEPT = "totalizator.instant"


def instant_of(request: HttpRequest) -> datetime:
    """Return the instant at which the request was first looked at; what decides about money asks the clock itself."""
    kept: datetime | None = request.META.get(_KEPT)
    if kept is None:
        kept = request.META[_KEPT] = clock.now()
    return kept

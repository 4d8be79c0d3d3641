"""Every address of the site as its route tells it."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

FRAMEWORKS = ("/account/", "/i18n/", "/desk/reference/")


def routes(patterns: Any = None, prefix: str = "/") -> Iterator[tuple[str, Any]]:
    """Each route, with its view; Django's and allauth's own too."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.callback

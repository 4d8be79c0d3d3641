"""The addresses of the site's pages, as its own list of addresses has them."""

from collections.abc import Iterator, Mapping, Sequence

from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

NO_PAGES = ("/api/", "/desk/reference/", "/account/", "/static/")
"""The API, Django's admin, allauth: none of them shows what grows with pools and bets."""


def pages_of(arguments: Sequence[Mapping[str, str]]) -> list[str]:
    """Return every address without arguments, and each that takes one of the given sets of them."""
    found: dict[str, None] = {}
    for name, wanted in sorted(_names(get_resolver(), "")):
        for given in ({}, *arguments):
            if given.keys() == wanted:
                try:
                    found[reverse(name, kwargs=dict(given))] = None
                except NoReverseMatch:
                    continue  # it takes other values
    return [address for address in found if not address.startswith(NO_PAGES)]


def _names(resolver: URLResolver, namespace: str) -> Iterator[tuple[str, frozenset[str]]]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            if pattern.name:
                yield f"{namespace}{pattern.name}", frozenset(pattern.pattern.converters)
        elif not (pattern.pattern.converters or pattern.app_name == "admin"):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _names(pattern, inner)

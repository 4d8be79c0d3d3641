"""The address that a request came from: the one answer for throttles, log-ins and lists of sessions (C61, E3).

It is the connection's own, unless that is a proxy which the setting TRUSTED_PROXIES names: then the address that the
nearest such proxy saw, which it wrote last into X-Forwarded-For. What a client writes there is believed of nobody.
"""

from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

UNIX = "unix"
"""In TRUSTED_PROXIES: whoever connects by the Unix socket, which has no address."""

Address = IPv4Address | IPv6Address


def client_address(request: HttpRequest) -> Address | None:
    """Return the address; None where none is known: a Unix socket whose proxy is not trusted, or tells nothing."""
    trusted = tuple(settings.TRUSTED_PROXIES)
    nearest = _read(request.META.get("REMOTE_ADDR", ""))
    if not _is_trusted(nearest, trusted):
        return nearest
    for told in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
        before = _read(told)
        if before is None:
            return nearest
        nearest = before
        if not _is_trusted(nearest, trusted):
            return nearest
    return nearest


def _is_trusted(address: Address | None, trusted: tuple[str, ...]) -> bool:
    if address is None:
        return UNIX in trusted
    return any(address in network for network in _networks(trusted))


@lru_cache(maxsize=4)
def _networks(trusted: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(network) for network in trusted if network != UNIX)


def _read(text: str) -> Address | None:
    """Read an address; an IPv4 one inside IPv6 is the IPv4 one."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


class OnlyTrustedProxies:
    """Let nobody but a trusted proxy say by which scheme a request came, once TRUSTED_PROXIES names any.

    Where it names none the installation has no proxy, or has not said so yet: then the header is Django's to judge.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, without what a client had no business to write."""
        trusted = tuple(settings.TRUSTED_PROXIES)
        if trusted and not _is_trusted(_read(request.META.get("REMOTE_ADDR", "")), trusted):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        return self.get_response(request)

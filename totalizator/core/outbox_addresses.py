"""Where events may be sent, and fetched from: by https to public addresses, never to our own machines.

A name is resolved once and the connection goes to the very address that was looked at: a name that means something
else a moment later leads nowhere.
"""

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

_NAT64 = ip_network("64:ff9b::/96")


class AddressRefused(Exception):
    """The name of an address leads to a network that we do not call."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address as it is called: by its number, in the name of its host."""

    url: str
    host: str
    host_header: str


def refuse_address(url: str) -> None:
    """Refuse what cannot be called at all, before anything is resolved.

    :raises DomainError: BAD_VALUE for what is no https address, has a user or a fragment in it, or is a refused number.
    """
    try:
        parts = _parts(url)
        number = _number(parts.hostname or "")
        if number is not None:
            _refuse_number(number)
    except (AddressRefused, ValueError) as fault:
        message = _("Give a public https address, without a user and a fragment.")
        raise DomainError(Refusal.BAD_VALUE, message, field="url") from fault


def resolve(url: str) -> Target:
    """Resolve the host's name and return how to call it.

    :raises AddressRefused: when one of its addresses is in a network that is not called; OSError for an unknown name.
    """
    parts = _parts(url)
    host, port = parts.hostname or "", parts.port or {"https": 443, "http": 80}[parts.scheme]
    found = [ip_address(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for number in found:
        _refuse_number(number)
    first = found[0]
    shown = f"[{first}]" if isinstance(first, IPv6Address) else str(first)
    path = parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    return Target(f"{parts.scheme}://{shown}:{port}{path}{query}", host, parts.netloc)


def _parts(url: str) -> SplitResult:
    if not (url.isascii() and url.isprintable() and " " not in url and "\\" not in url):
        raise AddressRefused(url)
    parts = urlsplit(url)
    if parts.scheme not in ("https", *(() if settings.PRODUCTION else ("http",))):
        raise AddressRefused(url)
    if not parts.hostname or "@" in parts.netloc or parts.fragment or parts.port == 0:
        raise AddressRefused(url)
    return parts


def _number(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _refuse_number(number: IPv4Address | IPv6Address) -> None:
    """Refuse private, local and special networks, however they are written, unless the settings allow them."""
    inner = _within(number)
    if any(inner in ip_network(network) for network in settings.OUTBOX_NETWORKS):
        return
    if inner.is_multicast or not inner.is_global:
        raise AddressRefused(str(number))


def _within(number: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 one stands for, or the address itself."""
    if isinstance(number, IPv6Address):
        if number in _NAT64:
            return IPv4Address(int(number) & 0xFFFFFFFF)
        return number.ipv4_mapped or number.sixtofour or number
    return number

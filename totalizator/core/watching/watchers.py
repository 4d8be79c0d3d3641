"""Who may read the metrics: whoever has the token, or comes from a network that the settings name."""

from hmac import compare_digest
from ipaddress import ip_network

from django.conf import settings
from django.http import HttpRequest

from totalizator.core.client_address import client_address


def may_watch(request: HttpRequest) -> bool:
    """Tell whether the metrics are shown to who asks."""
    told = request.headers.get("Authorization", "")
    if settings.METRICS_TOKEN and compare_digest(told.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        return True
    address = client_address(request)
    return address is not None and any(address in ip_network(network) for network in settings.METRICS_NETWORKS)

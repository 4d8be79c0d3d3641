"""The protocol on paper, for anyone (H2)."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from pools.models import Pool, Protocol
from pools.services.protocol_pdf import protocol_pdf
from pools.snapshots.result import newest_sealed_protocol
from pools.views.reading import pool_or_404


def protocol_file(request: HttpRequest, code: str, number: int | None = None) -> HttpResponseBase:
    """Send the newest sealed protocol, or another sealed version, as a PDF."""
    pool = pool_or_404(request, code)
    protocol = sealed_version(pool, number)
    answer = HttpResponse(printed(request, pool, protocol), content_type="application/pdf")
    answer["Content-Disposition"] = f'inline; filename="{pool.code}-protocol-{protocol.version}.pdf"'
    return answer


def sealed_version(pool: Pool, number: int | None) -> Protocol:
    """Return a sealed version, the newest when none is named; :raises Http404: where there is none."""
    if number is None:
        found = newest_sealed_protocol(pool)
    elif number < 2**15:
        found = Protocol.objects.filter(pool=pool, version=number, sealed_at__isnull=False).first()
    else:
        found = None
    if found is None:
        raise Http404
    return found


def printed(request: HttpRequest, pool: Pool, protocol: Protocol) -> bytes:
    """Return the protocol as a PDF that leads back to this site's page of the result."""
    address = request.build_absolute_uri(reverse("pools:result", args=[pool.code]))
    return protocol_pdf(pool, protocol, address=address)

"""The protocol on paper: for anyone once it is sealed, for its commission from its drawing up on (H2)."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from accounts.permissions import PersonRequest, commission_only
from pools.models import Pool, Protocol
from pools.services.protocol_pdf import protocol_pdf
from pools.snapshots.result import newest_sealed_protocol
from pools.views.my_pools import my_pool
from pools.views.reading import pool_or_404


def protocol_file(request: HttpRequest, code: str, number: int | None = None) -> HttpResponseBase:
    """Send the newest sealed protocol, or another sealed version, as a PDF."""
    pool = pool_or_404(request, code)
    protocol = sealed_version(pool, number)
    return _paper(request, pool, protocol)


@commission_only
def draft_file(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Send any version to the pool's commission as it is printed: the same paper, that says it is not sealed."""
    pool = my_pool(request, code)
    return _paper(request, pool, _any_version(pool, number))


@commission_only
def signed_text(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Send the very bytes that are signed of a version, so that its digest can be computed by anybody's program."""
    pool = my_pool(request, code)
    protocol = _any_version(pool, number)
    answer = HttpResponse(protocol.document_text.encode(), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{pool.code}-protocol-{protocol.version}.json"'
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


def _any_version(pool: Pool, number: int) -> Protocol:
    found = Protocol.objects.filter(pool=pool, version=number).first() if number < 2**15 else None
    if found is None:
        raise Http404
    return found


def _paper(request: HttpRequest, pool: Pool, protocol: Protocol) -> HttpResponse:
    answer = HttpResponse(printed(request, pool, protocol), content_type="application/pdf")
    answer["Content-Disposition"] = f'inline; filename="{pool.code}-protocol-{protocol.version}.pdf"'
    return answer


def printed(request: HttpRequest, pool: Pool, protocol: Protocol) -> bytes:
    """Return the protocol as a PDF that leads back to this site's page of the result."""
    address = request.build_absolute_uri(reverse("pools:result", args=[pool.code]))
    return protocol_pdf(pool, protocol, address=address)

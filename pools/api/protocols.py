"""Every sealed version of a pool's protocol, for anyone (H2, H5)."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.pools import TAG, announced
from pools.models import Protocol
from pools.services.protocol_documents import digest_of
from pools.snapshots.result import result_document
from pools.views.protocols import printed, sealed_version
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, PublicFile, instant_or_none
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal


class VersionDocument(serializers.Serializer[None]):
    """One sealed version."""

    number = serializers.CharField()
    version = serializers.IntegerField()
    sealed_at = Moment()
    digest = serializers.CharField(help_text="Of result.json, as in the public log; what the next protocol names.")
    result = PublicFile(help_text="result.json with its signatures.")


class VersionList(serializers.Serializer[None]):
    """All of them, the first one first; a version sealed after the settlement corrects it (H5)."""

    protocols = VersionDocument(many=True)


class PoolProtocols(PublicRead):
    """`GET pools/{code}/protocols`."""

    @described(
        "protocols",
        "Every sealed version of the protocol; a correction keeps those before it",
        tag=TAG,
        answers={200: VersionList},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """List them."""
        sealed = Protocol.objects.filter(pool=announced(code), sealed_at__isnull=False).order_by("version")
        return Response({"protocols": [_version(protocol) for protocol in sealed]})


class PoolProtocolPdf(PublicRead):
    """`GET pools/{code}/protocols/{version}`."""

    @described(
        "protocol_pdf",
        "One sealed version as a PDF, in the reader's language",
        tag=TAG,
        answers={(200, "application/pdf"): {"type": "string", "format": "binary"}},
        refused=(Refusal.NOT_FOUND,),
        public=True,
    )
    def get(self, request: Request, code: str, version: int) -> HttpResponseBase:
        """Send it."""
        pool = announced(code)
        protocol = sealed_version(pool, version)
        self.changed_at = protocol.sealed_at
        content = printed(request._request, pool, protocol)
        self.etag = digest_of(protocol)[7:39]
        return HttpResponse(content, content_type="application/pdf")


def _version(protocol: Protocol) -> dict[str, object]:
    return {
        "number": protocol.number,
        "version": protocol.version,
        "sealed_at": instant_or_none(protocol.sealed_at),
        "digest": digest_of(protocol),
        "result": result_document(protocol),
    }

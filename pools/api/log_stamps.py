"""Time-stamps of others over the heads of the public log, and the exact files they are over (X1, docs/log.md)."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.pools import announced
from pools.api.public_log import MOST_LINES, TAG
from pools.models import LogHead, LogStamp
from pools.queries.log_stamps import head_file, stamps_of_commitment, stamps_shown
from totalizator.core.api.bodies import read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.reading import PageQuery, PublicRead, page_of
from totalizator.core.errors import Refusal
from totalizator.core.timestamps import MEDIA_TYPE

FILE = {"type": "string", "format": "binary"}


class StampDocument(serializers.Serializer[None]):
    """A time-stamp (RFC 3161) over head.json of a size; `openssl ts -verify` checks the two files."""

    authority = serializers.CharField()
    size = serializers.IntegerField(help_text="Of the head.")
    at = Moment(help_text="The authority's time.")
    serial = serializers.CharField()
    token = serializers.CharField(help_text="Where the token is, a TimeStampResp in DER.")
    head = serializers.CharField(help_text="Where the file is that it is over.")


class StampPage(serializers.Serializer[None]):
    """A page of stamps."""

    stamps = StampDocument(many=True)
    next = serializers.URLField(allow_null=True)


class PoolStampsDocument(serializers.Serializer[None]):
    """Of each authority the first stamp over a head that has the pool's commitment."""

    pool = serializers.CharField()
    stamps = StampDocument(many=True)


class StampsQuery(PageQuery):
    """Which stamps."""

    size = serializers.IntegerField(required=False, min_value=1, max_value=MOST_LINES, help_text="Of the head.")


class LogStamps(PublicRead):
    """`GET log/stamps`."""

    @described(
        "log_stamps",
        "Time-stamps of others over heads of the log, the newest first",
        tag=TAG,
        answers={200: StampPage},
        query=StampsQuery,
        public=True,
        cached=True,
        about="With `size` those over the head of that size.",
    )
    def get(self, request: Request) -> Response:
        """List a page of stamps."""
        query = read_query(request, StampsQuery)
        asked = {"head_id": query["size"]} if "size" in query else {}
        return page_of(request, stamps_shown().filter(**asked), "stamps", _shown, query=query, ordering=("-pk",))


class PoolStamps(PublicRead):
    """`GET pools/{code}/stamps`."""

    @described(
        "pool_stamps",
        "By when others had seen the commitment to a pool's bets",
        tag=TAG,
        answers={200: PoolStampsDocument},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Of each authority the first stamp over a head that has the commitment's line.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the stamps."""
        pool = announced(code)
        return Response({"pool": pool.code, "stamps": _shown(stamps_of_commitment(pool.code))})


class HeadFile(PublicRead):
    """`GET log/heads/{size}/head.json`."""

    @described(
        "log_head_file",
        "A signed head as a file: the exact bytes that time-stamps are over",
        tag=TAG,
        answers={(200, "application/json"): FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, size: int) -> HttpResponse:  # noqa: ARG002
        """Send the file."""
        head = LogHead.objects.filter(size=size).first()
        if head is None:
            raise Http404
        self.changed_at, self.etag = head.at, head.root[:32]
        return HttpResponse(head_file(head), content_type="application/json; charset=utf-8")


class StampFile(PublicRead):
    """`GET log/heads/{size}/stamps/{authority}.tsr`."""

    @described(
        "log_stamp_file",
        "A time-stamp as a file, as `openssl ts` reads it",
        tag=TAG,
        answers={(200, MEDIA_TYPE): FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, size: int, authority: str) -> HttpResponse:  # noqa: ARG002
        """Send the file."""
        stamp = LogStamp.objects.filter(head_id=size, authority=authority).first()
        if stamp is None:
            raise Http404
        self.changed_at, self.etag = stamp.received_at, f"stamp-{stamp.pk}"
        response = HttpResponse(bytes(stamp.answer), content_type=MEDIA_TYPE)
        response["Content-Disposition"] = f'attachment; filename="{authority}.tsr"'
        return response


def stamp_shown(stamp: LogStamp) -> dict[str, Any]:
    """Return a stamp as the API has it."""
    place = f"/api/v1/log/heads/{stamp.head_id}"
    return {
        "authority": stamp.authority,
        "size": stamp.head_id,
        "at": instant(stamp.at),
        "serial": stamp.serial,
        "token": f"{place}/stamps/{stamp.authority}.tsr",
        "head": f"{place}/head.json",
    }


def _shown(stamps: Sequence[LogStamp]) -> list[dict[str, Any]]:
    return [stamp_shown(stamp) for stamp in stamps]

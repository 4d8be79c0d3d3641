"""The public log over the API: its lines, its heads, and proofs about them (X6, docs/log.md)."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.models import LogEntry, LogHead, LogKind
from pools.queries.log_proofs import entry_shown, growth_proof, head_shown, inclusion_proof, newest_head
from pools.snapshots.public_log import log_file
from totalizator.core.api.bodies import Body, Text, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment
from totalizator.core.api.reading import PageQuery, PublicRead, page_of
from totalizator.core.errors import Refusal

TAG = "Public log"
MOST_LINES = 2**62


class EntryDocument(serializers.Serializer[None]):
    """A line of the log; the canonical JSON of this object is what is hashed."""

    index = serializers.IntegerField()
    kind = serializers.ChoiceField(LogKind.choices)
    subject = serializers.CharField(help_text="Of a pool's documents the pool's code.")
    version = serializers.IntegerField()
    digest = serializers.CharField(help_text="`sha256:` + hex, of the published file's bytes.")
    at = Moment()


class HeadSignature(serializers.Serializer[None]):
    """The operator's signature under `totalizator-log-v1`, a line feed and the canonical head without signatures."""

    key = serializers.CharField()
    algorithm = serializers.CharField()
    signature = serializers.CharField()


class HeadDocument(serializers.Serializer[None]):
    """A signed head: size and root of the log at an instant."""

    format = serializers.IntegerField()
    log = serializers.CharField()
    size = serializers.IntegerField()
    root = serializers.CharField()  # type: ignore[assignment]  # `root` is a property of every field
    at = Moment()
    signatures = HeadSignature(many=True)


class EntryPage(serializers.Serializer[None]):
    """A page of lines."""

    entries = EntryDocument(many=True)
    next = serializers.URLField(allow_null=True)


class HeadPage(serializers.Serializer[None]):
    """A page of heads."""

    heads = HeadDocument(many=True)
    next = serializers.URLField(allow_null=True)


class GrowthDocument(serializers.Serializer[None]):
    """What `verify-growth` reads."""

    first = HeadDocument()
    second = HeadDocument()
    path = serializers.ListField(child=serializers.CharField())


class InclusionDocument(serializers.Serializer[None]):
    """A line, and its path to a head's root."""

    entry = EntryDocument()
    path = serializers.ListField(child=serializers.CharField())
    head = HeadDocument()


class EntriesQuery(PageQuery):
    """Which lines."""

    kind = serializers.ChoiceField(LogKind.choices, required=False)
    subject = Text(required=False, max_length=120)


class HeadQuery(Body):
    """Which head."""

    size = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_LINES, help_text="The newest unless told."
    )


class GrowthQuery(Body):
    """From which size to which."""

    first = serializers.IntegerField(min_value=1, max_value=MOST_LINES)
    second = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_LINES, help_text="The newest unless told."
    )


class InclusionQuery(HeadQuery):
    """Which line, in which head."""

    index = serializers.IntegerField(min_value=0, max_value=MOST_LINES)


class LogEntries(PublicRead):
    """`GET log/entries`."""

    @described(
        "log_entries",
        "The lines of the public log, the first first",
        tag=TAG,
        answers={200: EntryPage},
        query=EntriesQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """List a page of lines."""
        query = read_query(request, EntriesQuery)
        asked = {name: query[name] for name in ("kind", "subject") if name in query}
        return page_of(
            request, LogEntry.objects.filter(**asked), "entries", _entries_shown, query=query, ordering=("index",)
        )


class LogHeads(PublicRead):
    """`GET log/heads`."""

    @described(
        "log_heads",
        "The signed heads, the newest first",
        tag=TAG,
        answers={200: HeadPage},
        query=PageQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """List a page of heads."""
        query = read_query(request, PageQuery)
        return page_of(request, LogHead.objects.all(), "heads", _heads_shown, query=query, ordering=("-size",))


class LogHeadDetail(PublicRead):
    """`GET log/head`."""

    @described(
        "log_head",
        "One signed head, the newest unless told",
        tag=TAG,
        answers={200: HeadDocument},
        refused=(Refusal.NOT_FOUND,),
        query=HeadQuery,
        public=True,
        cached=True,
        about="Keep it: with it `verify-log FILE --head YOURS` finds out whether the log was ever rewritten.",
    )
    def get(self, request: Request) -> Response:
        """Show the head."""
        head = _head(read_query(request, HeadQuery).get("size"))
        self.changed_at = head.at
        return Response(head_shown(head))


class LogGrowth(PublicRead):
    """`GET log/proof`."""

    @described(
        "log_proof",
        "A proof that the log has only grown from one size to another (RFC 6962, 2.1.2)",
        tag=TAG,
        answers={200: GrowthDocument},
        refused=(Refusal.NOT_FOUND,),
        query=GrowthQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """Show the proof."""
        query = read_query(request, GrowthQuery)
        first, second = _head(query["first"]), _head(query.get("second"))
        if first.size > second.size:
            raise Http404
        return Response(growth_proof(first, second))


class LogInclusion(PublicRead):
    """`GET log/inclusion`."""

    @described(
        "log_inclusion",
        "A proof that a line is in the log (RFC 6962, 2.1.1)",
        tag=TAG,
        answers={200: InclusionDocument},
        refused=(Refusal.NOT_FOUND,),
        query=InclusionQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """Show the proof."""
        query = read_query(request, InclusionQuery)
        head = _head(query.get("size"))
        entry = LogEntry.objects.filter(index=query["index"], index__lt=head.size).first()
        if entry is None:
            raise Http404
        return Response(inclusion_proof(entry, head))


class LogFile(PublicRead):
    """`GET log/file`."""

    @described(
        "log_file",
        "The whole log, one line each, its signed head as the last: what `verify-log` reads",
        tag=TAG,
        answers={(200, "application/jsonl"): {"type": "string", "format": "binary"}},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> HttpResponseBase:  # noqa: ARG002
        """Send the file."""
        head = _head(None)
        self.changed_at, self.etag = head.at, head.root[:32]
        response = StreamingHttpResponse(log_file(head), content_type="application/jsonl; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="log.jsonl"'
        return response


def _head(size: int | None) -> LogHead:
    head = newest_head() if size is None else LogHead.objects.filter(size=size).first()
    if head is None:
        raise Http404
    return head


def _entries_shown(entries: Sequence[LogEntry]) -> list[dict[str, Any]]:
    return [entry_shown(entry) for entry in entries]


def _heads_shown(heads: Sequence[LogHead]) -> list[dict[str, Any]]:
    return [head_shown(head) for head in heads]

"""What anyone may read of pools, over the API."""

import json
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.documents import PoolDocument, PoolPage, pool_document, pool_summaries
from pools.models import Commitment, Game, Pool, PoolState, Settlement, SettlementState
from pools.services.commission_keys import published_keys
from pools.snapshots.result import result_document, sealed_protocol
from pools.views.bundles import bundle_response
from totalizator.core.api.bodies import Instant, read_query
from totalizator.core.api.described import described
from totalizator.core.api.reading import PageQuery, PublicRead, page_of
from totalizator.core.errors import Refusal

TAG = "Pools"
PUBLIC_FILE = {"type": "object", "additionalProperties": True}


class PoolQuery(PageQuery):
    """Which pools."""

    state = serializers.ChoiceField([state for state in PoolState.choices if state[0] != "draft"], required=False)
    game = serializers.ChoiceField(Game.choices, required=False)
    closes_from = Instant(required=False, help_text="Closing then or later.")
    closes_before = Instant(required=False, help_text="Closing earlier than that.")


class PoolList(PublicRead):
    """`GET pools/`."""

    @described(
        "pools",
        "Announced pools, the latest closing first",
        tag=TAG,
        answers={200: PoolPage},
        query=PoolQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """List a page of pools."""
        query = read_query(request, PoolQuery)
        order = ("-closes_at", "code")
        return page_of(request, _asked_for(query), "pools", pool_summaries, query=query, ordering=order)


class PoolDetail(PublicRead):
    """`GET pools/{code}/`."""

    @described(
        "pool",
        "A pool with its terms",
        tag=TAG,
        answers={200: PoolDocument},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show a pool."""
        return Response(pool_document(announced(code)))


class PoolResult(PublicRead):
    """`GET pools/{code}/result`."""

    @described(
        "result",
        "The sealed protocol with its signatures",
        tag=TAG,
        answers={200: PUBLIC_FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Exactly result.json of the public bundle, member by member.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the result."""
        protocol = sealed_protocol(announced(code))
        if protocol is None:
            raise Http404
        self.changed_at = protocol.sealed_at
        return Response(result_document(protocol))


class PoolStatement(PublicRead):
    """`GET pools/{code}/statement`."""

    @described(
        "statement",
        "The official statement: fund, levels, winners, dividends",
        tag=TAG,
        answers={200: PUBLIC_FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Exactly statement.json of the public bundle: its amounts are in kopecks.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the statement."""
        settlement = official(announced(code))
        self.changed_at = settlement.official_at
        return Response(json.loads(settlement.statement_text))


class PoolCommitment(PublicRead):
    """`GET pools/{code}/commitment`."""

    @described(
        "commitment",
        "The signed commitment of a closed pool: digests, Merkle root, totals",
        tag=TAG,
        answers={200: PUBLIC_FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the commitment."""
        commitment = Commitment.objects.filter(pool=announced(code)).first()
        if commitment is None:
            raise Http404
        self.changed_at = commitment.committed_at
        return Response(json.loads(commitment.document_text))


class PoolBundle(PublicRead):
    """`GET pools/{code}/bundle`."""

    @described(
        "bundle",
        "The public files of a settled pool, one archive: all that is needed to settle it again",
        tag=TAG,
        answers={(200, "application/zip"): {"type": "string", "format": "binary"}},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:  # noqa: ARG002
        """Send the archive."""
        pool = announced(code)
        settlement = official(pool)
        self.changed_at = settlement.official_at
        self.etag = sha256((settlement.manifest_text + settlement.statement_text).encode()).hexdigest()[:32]
        return bundle_response(pool, settlement)


class PublishedKeys(PublicRead):
    """`GET keys`."""

    @described(
        "keys",
        "The public keys that signatures are checked with",
        tag=TAG,
        answers={200: {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": True}}},
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Show keys.json."""
        return Response(published_keys())


def announced(code: str) -> Pool:
    """Return a pool that is public; :raises Http404: for a draft and for none."""
    pool = Pool.objects.filter(code=code).exclude(state=PoolState.DRAFT).first()
    if pool is None:
        raise Http404
    return pool


def official(pool: Pool) -> Settlement:
    """Return the official settlement of a pool; :raises Http404: before there is one."""
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if settlement is None:
        raise Http404
    return settlement


def _asked_for(query: dict[str, Any]) -> QuerySet[Pool]:
    pools = Pool.objects.exclude(state=PoolState.DRAFT)
    if "state" in query:
        pools = pools.filter(state=query["state"])
    if "game" in query:
        pools = pools.filter(game=query["game"])
    if "closes_from" in query:
        pools = pools.filter(closes_at__gte=query["closes_from"])
    if "closes_before" in query:
        pools = pools.filter(closes_at__lt=query["closes_before"])
    return pools

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
from pools.models import Commitment, Computed, Game, Pool, PoolState
from pools.queries.corrections import computed_by, in_force
from pools.services.commission_keys import published_keys
from pools.snapshots.result import protocol_of, result_document, sealed_protocol
from pools.views.bundles import bundle_response
from totalizator.core.api.bodies import Body, Instant, read_query
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


class VersionQuery(Body):
    """Which of a corrected pool's two settlements."""

    version = serializers.IntegerField(
        required=False, min_value=1, max_value=32_767, help_text="Of the protocol; left out: what is in force."
    )


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
        return page_of(request, _filtered(query), "pools", pool_summaries, query=query, ordering=order)


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
        query=VersionQuery,
        public=True,
        cached=True,
        about="Exactly result.json of the public bundle, member by member; of a corrected pool the corrected one (H5).",
    )
    def get(self, request: Request, code: str) -> Response:
        """Show the result."""
        pool = announced(code)
        computed = asked_for(request, pool)
        protocol = protocol_of(computed) if computed is not None else sealed_protocol(pool)
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
        query=VersionQuery,
        public=True,
        cached=True,
        about="Exactly statement.json of the public bundle, corrected if it was: its amounts are in kopecks.",
    )
    def get(self, request: Request, code: str) -> Response:
        """Show the statement."""
        settlement = official(request, announced(code))
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
        query=VersionQuery,
        public=True,
        cached=True,
        about="Of a corrected pool those of the corrected settlement, with `correction.json` and `changed.csv` (H5).",
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        """Send the archive."""
        pool = announced(code)
        settlement = official(request, pool)
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


def asked_for(request: Request, pool: Pool) -> Computed | None:
    """Return how a pool is settled by the version in the query, by now when it names none; None before it is.

    :raises Http404: for a version that nothing is settled by.
    """
    query = read_query(request, VersionQuery)
    if "version" not in query:
        return in_force(pool)
    computed = computed_by(pool, query["version"])
    if computed is None:
        raise Http404
    return computed


def official(request: Request, pool: Pool) -> Computed:
    """Return how a pool is officially settled, as `asked_for`; :raises Http404: before it is."""
    computed = asked_for(request, pool)
    if computed is None:
        raise Http404
    return computed


def _filtered(query: dict[str, Any]) -> QuerySet[Pool]:
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

"""Pools over the API: public reads, and placing a bet from an account or a till."""

import json
from typing import cast

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Role, User
from accounts.permissions import CanPlaceBets
from pools.api.documents import bet_document, pool_document, pool_summary
from pools.api.requests import Amount, idempotency_key
from pools.models import Pool, PoolState, Settlement, SettlementState
from pools.services.betting import place_bet
from pools.services.sources import from_game_account, from_till
from pools.snapshots.result import result_document, sealed_protocol
from pools.views.bundles import bundle_response
from totalizator.core.errors import DomainError, Refusal

MOST_POOLS = 200


class PoolList(APIView):
    """`GET pools/`: announced pools, the latest closing first; `?state=open` narrows it."""

    permission_classes = (AllowAny,)

    def get(self, request: Request) -> Response:
        """List pools."""
        pools = Pool.objects.exclude(state=PoolState.DRAFT).order_by("-closes_at", "code")
        state = request.query_params.get("state")
        if state is not None:
            if state not in PoolState.values:
                expected = _("Choose one of: %(states)s.") % {"states": ", ".join(PoolState.values)}
                raise DomainError(Refusal.BAD_VALUE, expected, field="state")
            pools = pools.filter(state=state)
        return Response({"pools": [pool_summary(pool) for pool in pools[:MOST_POOLS]]})


class PoolDetail(APIView):
    """`GET pools/{code}/`: a pool with its terms."""

    permission_classes = (AllowAny,)

    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show a pool."""
        return Response(pool_document(_announced(code)))


class PoolResult(APIView):
    """`GET pools/{code}/result`: the sealed protocol with its signatures."""

    permission_classes = (AllowAny,)

    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the result."""
        protocol = sealed_protocol(_announced(code))
        if protocol is None:
            raise Http404
        return Response(result_document(protocol))


class PoolStatement(APIView):
    """`GET pools/{code}/statement`: the official statement, in kopecks, exactly as in the public bundle."""

    permission_classes = (AllowAny,)

    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the statement."""
        return Response(json.loads(_official(_announced(code)).statement_text))


def pool_bundle(request: HttpRequest, code: str) -> HttpResponseBase:  # noqa: ARG001
    """`GET pools/{code}/bundle`: the public files as one archive."""
    pool = _announced(code)
    return bundle_response(pool, _official(pool))


class BetRequest(serializers.Serializer[None]):
    """The body of a bet: selections as `1;X;1+2`, the whole stake in BYN as text."""

    selections = serializers.CharField(max_length=10_000)
    stake = Amount()


class PoolBets(APIView):
    """`POST pools/{code}/bets`: 201 for a new ticket, 200 when the same request came before (C36-C38)."""

    permission_classes = (CanPlaceBets,)

    def post(self, request: Request, code: str) -> Response:
        """Place a bet: from the player's game account, or for cash at the cashier's till."""
        key = idempotency_key(request)
        body = BetRequest(data=request.data)
        body.is_valid(raise_exception=True)
        person = cast(User, request.user)
        placed = place_bet(
            pool_code=code,
            selections=body.validated_data["selections"],
            stake=body.validated_data["stake"],
            source=from_till(person) if person.role == Role.CASHIER else from_game_account(person),
            idempotency_key=key,
        )
        return Response(bet_document(placed), status=200 if placed.replayed else 201)


def _announced(code: str) -> Pool:
    pool = Pool.objects.filter(code=code).exclude(state=PoolState.DRAFT).first()
    if pool is None:
        raise Http404
    return pool


def _official(pool: Pool) -> Settlement:
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if settlement is None:
        raise Http404
    return settlement

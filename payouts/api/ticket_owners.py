"""Binding tickets to one's game account, and where their winnings go (X10, ¶41). No token signs a wish."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_asking
from accounts.permissions import ArePlayers
from accounts.views.step_up import requires_step_up
from payouts.api.holders import guarded
from payouts.models import TicketOwner
from payouts.queries.ticket_owners import tickets_of, wants_credit
from payouts.services.ticket_owners import bind_to_account, sign_credit_wish
from totalizator.core.api.bodies import Body, Text, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal

TAG = "Players"


class OwnTicketBody(Body):
    """A ticket with its check code; or with the phone it is bound to, and a code that was sent there."""

    ticket = Text(max_length=60)
    check_code = Text(max_length=40, required=False, default="")
    phone = Text(max_length=30, required=False, default="")
    phone_code = Text(max_length=10, required=False, default="", help_text="Of a ticket that is bound to a phone.")


class WishBody(Body):
    """Whether the winnings of bound tickets are to be credited."""

    wanted = serializers.BooleanField()


class OwnTicket(serializers.Serializer[None]):
    """A ticket that is bound to my account."""

    ticket = serializers.CharField()
    pool = serializers.CharField()
    by_phone = serializers.BooleanField()
    bound_at = Moment()


class OwnTicketPage(serializers.Serializer[None]):
    """A page of them, the newest first."""

    tickets = OwnTicket(many=True)
    next = serializers.URLField(allow_null=True)


class Wish(serializers.Serializer[None]):
    """Whether their winnings are credited to my account."""

    wanted = serializers.BooleanField()


class MyTickets(APIView):
    """`me/tickets`."""

    permission_classes = (ArePlayers,)

    @described("me_tickets", "Tickets bound to my account", tag=TAG, answers={200: OwnTicketPage}, query=PageQuery)
    def get(self, request: Request) -> Response:
        """Show a page."""
        query = read_query(request, PageQuery)
        mine = tickets_of(account_asking(request))
        return page_of(request, mine, "tickets", _written, query=query, ordering=("-bound_at", "ticket"))

    @described(
        "me_ticket_bind",
        "Bind a ticket that I hold, for good, to my account",
        tag=TAG,
        answers={201: OwnTicket},
        body=OwnTicketBody,
        refused=(
            Refusal.WRONG_CODE,
            Refusal.PHONE_CODE_NEEDED,
            Refusal.WRONG_STATE,
            Refusal.TICKET_HELD,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.NOT_VERIFIED,
            Refusal.UNDER_AGE,
            Refusal.ACCOUNT_BLOCKED,
        ),
        about="No money moves by it. Without a wish (`me/credit-wish`) it is still paid to who brings it.",
    )
    def post(self, request: Request) -> Response:
        """Bind it."""
        account, told = account_asking(request), read_body(request, OwnTicketBody)
        owner = guarded(request, told["ticket"], lambda: bind_to_account(account=account, **told))
        return Response(_document(owner), status=201)


class MyCreditWish(APIView):
    """`me/credit-wish`."""

    permission_classes = (ArePlayers,)

    @described("me_credit_wish", "Whether winnings of my tickets are credited", tag=TAG, answers={200: Wish})
    def get(self, request: Request) -> Response:
        """Tell the latest wish."""
        return Response({"wanted": wants_credit(account_asking(request))})

    @described(
        "me_credit_wish_sign",
        "Sign, or take back, the wish that winnings of tickets bound to my account are credited to it",
        tag=TAG,
        answers={200: Wish},
        body=WishBody,
        refused=(Refusal.STEP_UP_NEEDED, Refusal.NOT_VERIFIED, Refusal.UNDER_AGE, Refusal.ACCOUNT_BLOCKED),
        about="No money moves by it. A browser signs it, after the second factor; no token can.",
    )
    def post(self, request: Request) -> Response:
        """Sign it."""
        wish = sign_credit_wish(
            account=account_asking(request),
            wanted=read_body(request, WishBody)["wanted"],
            stepped_up=request.auth is None and not requires_step_up(request._request),
        )
        return Response({"wanted": wish.wanted})


def _written(owners: list[TicketOwner]) -> list[dict[str, Any]]:
    return [_document(owner) for owner in owners]


def _document(owner: TicketOwner) -> dict[str, Any]:
    return {
        "ticket": owner.ticket,
        "pool": owner.pool.code,
        "by_phone": owner.by_phone,
        "bound_at": instant(owner.bound_at),
    }

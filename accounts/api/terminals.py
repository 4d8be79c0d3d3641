"""A terminal's link to the centre (G5). What it sells goes the same way as a cashier's."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import terminal_asking
from accounts.permissions import AreTerminals
from accounts.services.terminals import note_heartbeat, synchronise
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Desks"


class Link(serializers.Serializer[None]):
    """When the terminal was last in touch."""

    seen_at = Moment()


class Synchronisations(APIView):
    """`POST terminal/synchronisations`."""

    permission_classes = (AreTerminals,)

    @described(
        "terminal_synchronise",
        "Say that the terminal has read what it must know: it may sell from now on",
        tag=TAG,
        answers={200: Link},
    )
    def post(self, request: Request) -> Response:
        """Note it."""
        terminal = terminal_asking(request)
        synchronise(terminal=terminal)
        return Response({"seen_at": instant_or_none(terminal.seen_at)})


class Heartbeats(APIView):
    """`POST terminal/heartbeats`."""

    permission_classes = (AreTerminals,)

    @described(
        "terminal_heartbeat",
        "Keep an unbroken link unbroken",
        tag=TAG,
        answers={200: Link},
        refused=(Refusal.LINK_LOST,),
    )
    def post(self, request: Request) -> Response:
        """Note it; a terminal that was out of touch must synchronise first."""
        terminal = terminal_asking(request)
        note_heartbeat(terminal=terminal)
        terminal.refresh_from_db(fields=["seen_at"])
        return Response({"seen_at": instant_or_none(terminal.seen_at)})

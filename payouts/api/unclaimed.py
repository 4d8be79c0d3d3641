"""What nobody has come for yet, in public totals (X10); one's own ticket is asked about by `tickets/check`."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from payouts.queries.unclaimed import UnclaimedMoney, unclaimed_money
from totalizator.core import clock
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant_or_none
from totalizator.core.api.reading import PublicRead
from totalizator.core.money import plain_byn


class UnclaimedDocument(serializers.Serializer[None]):
    """What waits at tills for tickets of one pool that one point sold; before tax."""

    pool = serializers.CharField()
    point = serializers.CharField(allow_blank=True)
    point_name = serializers.CharField(allow_blank=True)
    payable_until = Moment(allow_null=True, help_text="Exclusive; null: it does not expire.")
    tickets = serializers.IntegerField()
    winnings = Byn()
    refunds = Byn()


class UnclaimedList(serializers.Serializer[None]):
    """All of it, and the sum."""

    unclaimed = UnclaimedDocument(many=True)
    total = Byn()


class Unclaimed(PublicRead):
    """`GET unclaimed`."""

    @described(
        "unclaimed",
        "Winnings and returned stakes that nobody has come for, by pool and point",
        tag="Money in public",
        answers={200: UnclaimedList},
        public=True,
        cached=True,
        about="No ticket is named. Who has one asks `tickets/check` with its check code.",
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Show the totals."""
        found = unclaimed_money(clock.now())
        total = sum(money.winnings + money.refunds for money in found)
        return Response({"unclaimed": [_written(money) for money in found], "total": plain_byn(total)})


def _written(money: UnclaimedMoney) -> dict[str, object]:
    return {
        "pool": money.pool,
        "point": money.point,
        "point_name": money.point_name,
        "payable_until": instant_or_none(money.payable_until),
        "tickets": money.tickets,
        "winnings": plain_byn(money.winnings),
        "refunds": plain_byn(money.refunds),
    }

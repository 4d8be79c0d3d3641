"""The list of unpaid winning tickets of a pool for the staff, without what anybody could be paid by (K3)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import NothingBody
from accounts.models import User
from payouts.queries.unpaid_winnings import masked, unpaid_winnings
from payouts.services.unpaid_lists import copy_unpaid_list, note_look
from pools.locks import find_pool
from totalizator.core.api.documents import Byn, Moment, instant_or_none
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: claims"


class UnpaidWinning(serializers.Serializer[None]):
    """A winning that nobody has come for."""

    ticket = serializers.CharField(help_text="Its last letters: `…K7Q`.")
    amount = Byn(help_text="Before tax.")
    sold_at = serializers.CharField(allow_null=True, help_text="The point.")
    payable_until = Moment(allow_null=True, help_text="Exclusive.")
    bound = serializers.BooleanField(help_text="To a phone.")
    held = serializers.BooleanField(help_text="Claimed as lost or damaged.")


def _look(staff: User, query: Told, code: str) -> None:  # noqa: ARG001
    note_look(code=code, looked_by=staff)


def _unpaid(query: Told, code: str) -> QuerySet[Any]:  # noqa: ARG001
    return unpaid_winnings(find_pool(code))


def _written(winning: Any) -> Written:
    return {
        "ticket": masked(winning.ticket),
        "amount": plain_byn(winning.amount),
        "sold_at": winning.sold_at,
        "payable_until": instant_or_none(winning.payable_until),
        "bound": winning.is_bound,
        "held": winning.is_held,
    }


def _copy(staff: User, told: Told, code: str) -> GivenFile:  # noqa: ARG001
    copy, content = copy_unpaid_list(code=code, made_by=staff)
    return GivenFile(f"unpaid-{code}-{copy.day}-{copy.number}.csv", content, "text/csv")


DECLARED = (
    Listing(
        path="pools/<label:code>/unpaid-winnings",
        name="staff_unpaid_winnings",
        summary="Winnings of a pool that nobody has come for, without what anybody could be paid by",
        tag=TAG,
        rows_name="winnings",
        row=UnpaidWinning,
        rows=_unpaid,
        write=_written,
        ordering=("place",),
        noted=_look,
        about="Every look is journalled.",
    ),
    Act(
        path="pools/<label:code>/unpaid-winnings/copies",
        name="staff_unpaid_winnings_copy",
        summary="Take a copy of the list away, a dated number of times a day",
        tag=TAG,
        body=NothingBody,
        answer="text/csv",
        do=_copy,
        refused=(Refusal.NOT_FOUND, Refusal.LIMIT_REACHED),
    ),
)

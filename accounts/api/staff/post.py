"""The agreements with the post, which brings money and carries it out (¶35.5-35.7, ¶41-43)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.models import PostalOperator, User
from accounts.services.post import enter_postal_operator
from totalizator.core.api.bodies import Body, Day, Text
from totalizator.core.api.documents import Moment, instant

TAG = "Staff: the bank"


class PostBody(Body):
    """The post, its account, and the agreement that holds from a day on."""

    name = Text(max_length=140)
    account = Text(max_length=40, help_text="IBAN.")
    bank = Text(max_length=20, help_text="BIC.")
    agreement = Text(max_length=200)
    valid_from = Day(help_text="Today or later.")


class PostDocument(serializers.Serializer[None]):
    """An agreement with the post."""

    name = serializers.CharField()
    account = serializers.CharField()
    bank = serializers.CharField()
    agreement = serializers.CharField()
    valid_from = serializers.DateField()
    entered_by = serializers.CharField()
    entered_at = Moment()


def _enter(staff: User, told: Told) -> Written:
    return _written(enter_postal_operator(**told, entered_by=staff))


def _written(post: PostalOperator) -> Written:
    return {
        "name": post.name,
        "account": post.account,
        "bank": post.bank,
        "agreement": post.agreement,
        "valid_from": post.valid_from.isoformat(),
        "entered_by": post.entered_by.username,
        "entered_at": instant(post.entered_at),
    }


DECLARED = (
    Listing(
        path="postal-operators",
        name="staff_postal_operators",
        summary="Agreements with the post, the latest first",
        tag=TAG,
        rows_name="operators",
        row=PostDocument,
        rows=lambda _query: PostalOperator.objects.select_related("entered_by"),
        write=_written,
    ),
    Act(
        path="postal-operators",
        name="staff_postal_operator_enter",
        summary="Enter the agreement with the post that holds from a day on",
        tag=TAG,
        body=PostBody,
        answer=PostDocument,
        do=_enter,
        about="Payment orders that go through it, another person gives to the bank.",
    ),
)

"""Payment systems: what does not agree with them, their reports, and what they pay over (F1)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Told, Written
from accounts.api.staff.naming import Booked
from accounts.api.staff.uploads import FileBody, table_of
from accounts.models import User
from accounts.services.paying_over import note_paid_over, note_prefunded
from accounts.services.reconciliation import reconcile_provider
from totalizator.core.api.bodies import Amount, Body, Day, Text
from totalizator.core.errors import Refusal

TAG = "Staff: payment systems"


class ReportBody(FileBody):
    """A payment system's report of a legal day that is over."""

    provider = Text(max_length=20)
    day = Day()


class PaidOverBody(Body):
    """What reached the bank, what the payment system held for it, and the reference of the bank's statement."""

    provider = Text(max_length=20)
    received = Amount()
    held = Amount()
    reference = Text(max_length=60)


class PrefundedBody(Body):
    """What the bank paid to a payment system, and the reference of the bank's statement."""

    provider = Text(max_length=20)
    amount = Amount()
    reference = Text(max_length=60)


class ProviderReportDocument(serializers.Serializer[None]):
    """What a report said: its lines, what is new in the queue, and the lines that could not be read."""

    lines = serializers.IntegerField()
    new = serializers.IntegerField()
    faults = serializers.ListField(child=serializers.IntegerField())


def _report(staff: User, told: Told) -> Written:
    with table_of(told["file"]) as text:
        read = reconcile_provider(provider=told["provider"], day=told["day"], text=text, actor=staff.actor)
    return {"lines": read.lines, "new": read.new, "faults": list(read.faults)}


DECLARED = (
    Act(
        path="provider-reports",
        name="staff_provider_report",
        summary="Compare a payment system's report of a day with what came to an end here on it",
        tag=TAG,
        body=ReportBody,
        answer=ProviderReportDocument,
        do=_report,
        refused=(Refusal.NOT_FOUND,),
        status=200,
        is_upload=True,
    ),
    Act(
        path="provider-payments",
        name="staff_paid_over",
        summary="Book what a payment system has paid over to the bank",
        tag=TAG,
        body=PaidOverBody,
        answer=Booked,
        do=lambda staff, told: note_paid_over(**told, by=staff),
        shown=lambda _staff, _told: {"booked": True},
        refused=(Refusal.NOT_FOUND,),
        about="The same reference is booked once.",
    ),
    Act(
        path="provider-prefunding",
        name="staff_prefunded",
        summary="Book what the bank has paid to a payment system, from which it pays withdrawals",
        tag=TAG,
        body=PrefundedBody,
        answer=Booked,
        do=lambda staff, told: note_prefunded(**told, by=staff),
        shown=lambda _staff, _told: {"booked": True},
        refused=(Refusal.NOT_FOUND,),
        about="The same reference is booked once.",
    ),
)

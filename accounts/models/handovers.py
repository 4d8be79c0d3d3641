"""Cash on its way between a point, the cash desk and the bank; and what the bank allows (¶9.5-9.7)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.points import BettingPoint, Till


class Route(models.TextChoices):
    """From where to where."""

    POINT_TO_DESK = "point_to_desk", _("point → cash desk")
    DESK_TO_BANK = "desk_to_bank", _("cash desk → bank")
    BANK_TO_DESK = "bank_to_desk", _("bank → cash desk")
    DESK_TO_POINT = "desk_to_point", _("cash desk → point")


# Routes of which one end is a till.
AT_A_POINT = (Route.POINT_TO_DESK, Route.DESK_TO_POINT)


class HandoverState(models.TextChoices):
    """Where the cash is: on its way, or counted by who received it."""

    ANNOUNCED = "announced", _("on its way")
    RECEIVED = "received", _("received")


MOVES: Mapping[HandoverState, frozenset[HandoverState]] = {
    HandoverState.ANNOUNCED: frozenset({HandoverState.RECEIVED}),
    HandoverState.RECEIVED: frozenset(),
}


class Handover(models.Model):
    """A document of two people: who gave and who received. Amounts in kopecks."""

    number = models.PositiveIntegerField(unique=True, help_text="Without gaps.")
    route = models.CharField(max_length=16, choices=Route)
    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="handovers")
    amount = models.BigIntegerField(help_text="As the giver counted it.")
    state = models.CharField(max_length=10, choices=HandoverState, default=HandoverState.ANNOUNCED)
    document = models.CharField(max_length=60, blank=True, help_text="The bank's, where one end is the bank.")
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    announced_at = models.DateTimeField()
    received_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    received_at = models.DateTimeField(null=True)
    counted = models.BigIntegerField(null=True, help_text="As the receiver counted it.")
    reason = models.TextField(blank=True, help_text="Of a difference.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_handover_positive"),
            models.CheckConstraint(
                condition=Q(route__in=AT_A_POINT, till__isnull=False)
                | (~Q(route__in=AT_A_POINT) & Q(till__isnull=True)),
                name="accounts_handover_till_iff_point",
            ),
            models.CheckConstraint(
                condition=Q(state="announced", received_by=None, received_at=None, counted=None)
                | Q(state="received", received_by__isnull=False, received_at__isnull=False, counted__gte=0),
                name="accounts_handover_counted",
            ),
            models.CheckConstraint(
                condition=Q(received_by__isnull=True) | ~Q(given_by=F("received_by")), name="accounts_handover_by_two"
            ),
            models.CheckConstraint(
                condition=Q(counted__isnull=True) | Q(counted=F("amount")) | ~Q(reason=""),
                name="accounts_handover_difference_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return gettext("No. %(number)s") % {"number": self.number}


class CashLimit(models.Model):
    """How much cash the bank lets a point hold, in all its tills (¶9.6). Append-only: the newest that has begun."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="cash_limits")
    amount = models.BigIntegerField(null=True, help_text="Kopecks; empty: no limit any more.")
    valid_from = models.DateField()
    document = models.CharField(max_length=100, help_text="The bank's letter.")
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__isnull=True) | Q(amount__gte=0), name="accounts_limit_is_cash")
        ]
        indexes = [models.Index(fields=["point", "-valid_from", "-id"], name="accounts_cash_limit_newest")]


class TakingsAgreement(models.Model):
    """That the bank lets taken stakes be paid out again (¶9.7), of one point or of all. Append-only."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, null=True, related_name="agreements")
    number = models.CharField(max_length=100)
    bank = models.CharField(max_length=200)
    valid_from = models.DateField()
    valid_until = models.DateField(help_text="Last day.")
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(valid_from__lte=F("valid_until")), name="accounts_agreement_lasts")
        ]

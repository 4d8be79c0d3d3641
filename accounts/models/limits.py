"""Limits that a person sets on their own play (P1)."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.persons import Person


class LimitKind(models.TextChoices):
    """What is limited."""

    DEPOSIT = "deposit", _("money paid in")
    STAKE = "stake", _("stakes")
    LOSS = "loss", _("losses")


class LimitPeriod(models.TextChoices):
    """In how long a time. Windows roll: the last 24 hours, 7 days or 30 days before the act, to the microsecond."""

    DAY = "day", _("24 hours")
    WEEK = "week", _("7 days")
    MONTH = "month", _("30 days")

    @property
    def length(self) -> timedelta:
        """How long the window is."""
        return {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}[self.value]


class PlayLimit(models.Model):
    """A limit in force. Each binds on its own, so the lowest decides."""

    pk = models.CompositePrimaryKey("person_id", "kind", "period")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="limits", db_index=False)
    kind = models.CharField(max_length=8, choices=LimitKind)
    period = models.CharField(max_length=8, choices=LimitPeriod)
    amount = models.BigIntegerField(help_text="Kopecks; 0 stops it altogether.")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gte=0), name="accounts_limit_not_negative")]


class LimitRaise(models.Model):
    """A wish to raise or remove a limit, which must wait and be confirmed again; the last wish counts."""

    pk = models.CompositePrimaryKey("person_id", "kind", "period")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="limit_raises", db_index=False)
    kind = models.CharField(max_length=8, choices=LimitKind)
    period = models.CharField(max_length=8, choices=LimitPeriod)
    amount = models.BigIntegerField(null=True, help_text="Kopecks; empty: no limit any more.")
    asked_at = models.DateTimeField()
    ready_at = models.DateTimeField(help_text="From when on it can be confirmed.")

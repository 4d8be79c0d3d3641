"""Where cash bets are taken and paid (¶9.2-9.3, ¶35.1)."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.ledger.models import LedgerAccount
from accounts.models.agents import Agent


class PointKind(models.TextChoices):
    """Who runs a point, and whether it stays."""

    OWN = "own", _("the organizer's own point")
    EVENT_SITE = "event_site", _("at the site of an event")
    AGENT = "agent", _("an agent's point")


# Points that ¶9.4 is about.
STATIONARY = frozenset({PointKind.OWN, PointKind.AGENT})


class BettingPoint(models.Model):
    """A betting point. `time_zone` is what its clock on the wall shows; legal days are always Minsk's."""

    code = models.CharField(max_length=12, unique=True)
    name = models.CharField(max_length=200)
    address = models.CharField(max_length=300, blank=True)
    time_zone = models.CharField(max_length=40, default="Europe/Minsk")
    kind = models.CharField(max_length=10, choices=PointKind, default=PointKind.OWN)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="points")
    enabled = models.BooleanField(default=True, help_text="Off: no till and no terminal of it sells or pays.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="agent", agent__isnull=False) | (~Q(kind="agent") & Q(agent__isnull=True)),
                name="accounts_point_agent_iff_agents",
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


class Till(models.Model):
    """A till of a betting point, with the cashier who works at it."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="tills")
    number = models.PositiveSmallIntegerField()
    cashier = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="till", null=True, blank=True
    )
    ledger_account = models.OneToOneField(LedgerAccount, on_delete=models.PROTECT, related_name="till")
    enabled = models.BooleanField(default=True)
    closed_at = models.DateTimeField(null=True, help_text="Closed for good, empty of cash.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["point", "number"], name="accounts_till_once"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(enabled=False), name="accounts_closed_till_is_off"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.point.code}/{self.number}"

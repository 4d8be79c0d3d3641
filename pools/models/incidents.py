"""Why sales were stopped, of what, when and by whom (T2)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import BettingPoint
from pools.models.bets import Channel
from pools.models.pools import Pool


class IncidentState(models.TextChoices):
    """Whether sales are still stopped by it."""

    OPEN = "open", _("sales are paused")
    ENDED = "ended", pgettext_lazy("a pause of sales", "ended")


MOVES: Mapping[IncidentState, frozenset[IncidentState]] = {
    IncidentState.OPEN: frozenset({IncidentState.ENDED}),
    IncidentState.ENDED: frozenset(),
}


class Incident(models.Model):
    """A pause of sales: of a pool, of a channel, at a point, or of what is all that is named; nothing named is all."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, null=True, related_name="incidents")
    channel = models.CharField(max_length=10, choices=Channel, blank=True, help_text="Empty: every channel.")
    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, null=True, related_name="incidents")
    state = models.CharField(max_length=8, choices=IncidentState, default=IncidentState.OPEN)
    cause = models.TextField()
    started_at = models.DateTimeField(help_text="No bet that it is about is registered from then on.")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    job = models.CharField(max_length=60, blank=True, help_text="What started it by itself, and can end it.")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    outcome = models.TextField(blank=True, help_text="What was found and done.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", ended_at=None, ended_by=None)
                | (Q(state="ended", ended_at__isnull=False) & (Q(ended_by__isnull=False) | ~Q(job=""))),
                name="pools_incident_ended_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(started_by__isnull=False, job="") | (Q(started_by__isnull=True) & ~Q(job="")),
                name="pools_incident_started_by_somebody",
            ),
            models.UniqueConstraint(
                fields=["job"], condition=Q(state="open") & ~Q(job=""), name="pools_one_pause_of_a_job"
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(state="open"), name="pools_incidents_open")]

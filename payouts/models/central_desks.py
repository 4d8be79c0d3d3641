"""Which betting points are central desks: only there large winnings are paid in cash."""

from django.conf import settings
from django.db import models

from accounts.models import BettingPoint


class CentralDesk(models.Model):
    """That a point is a central desk from now on, or no longer is; the latest row of a point counts. Append-only."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="central_decisions")
    is_central = models.BooleanField()
    reason = models.CharField(max_length=200)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

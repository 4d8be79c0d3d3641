"""How far bets have been told of (U1)."""

from django.db import models


class ToldBets(models.Model):
    """Every bet registered before `until` has been told of; one row."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    until = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="pools_told_bets_one_row")]

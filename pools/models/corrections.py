"""A clerical error found after the settlement: how the pool should have been settled, and what gave up saying so (H5).

The settlement stays as it was. A correction is a settlement of its own beside it, by the correcting protocol, once.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from pools.models.pools import Pool
from pools.models.settlements import OFFICIAL_HAS_TERM, ComputedTwice, Settlement


class Correction(ComputedTwice):
    """How a settled pool is settled by its correcting protocol. Once official, it can only be marked as applied."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True)
    correction_text = models.TextField(blank=True, help_text="correction.json as signed, once official.")
    applied_at = models.DateTimeField(null=True, help_text="When what is owed on tickets was made to agree with it.")

    class Meta:
        constraints = [
            models.CheckConstraint(name="pools_official_correction_has_term", condition=OFFICIAL_HAS_TERM),
            models.CheckConstraint(
                name="pools_only_official_applied", condition=Q(applied_at__isnull=True) | Q(state="official")
            ),
        ]

    @property
    def state_text(self) -> str:
        """state.json: the same jackpot and the same cancelled bets as in the settlement that is corrected."""
        return str(self.pool.settlement.state_text)

    @property
    def jackpot_in(self) -> int:
        """The jackpot that the settlement drew, in kopecks."""
        return int(self.pool.settlement.jackpot_in)


Computed = Settlement | Correction


class CorrectedWinning(models.Model):
    """What one bet wins on one level by the correcting protocol: a row of its winnings.csv. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket", "level")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="corrected_winnings", db_index=False)
    ticket = models.CharField(max_length=40)
    level = models.TextField()
    lines = models.BigIntegerField(help_text="The bet's winning lines on the level.")
    amount = models.BigIntegerField(help_text="Kopecks; 0 is kept on a level that paid too little to share.")


class AbandonmentProposal(models.Model):
    """That a correcting protocol not yet sealed should be given up: one asks, another approves. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="abandonment_proposals")
    version = models.PositiveSmallIntegerField(help_text="Of the protocol.")
    reason = models.CharField(max_length=500)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class AbandonedCorrection(models.Model):
    """A correcting protocol that is given up: nobody signs it any more, and paying goes on. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "version")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="abandoned_corrections", db_index=False)
    version = models.PositiveSmallIntegerField(help_text="Of the protocol.")
    proposal = models.OneToOneField(AbandonmentProposal, on_delete=models.PROTECT, related_name="decision")
    document_text = models.TextField(help_text="What is published of it: canonical JSON, one line.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    abandoned_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="pools_correction_abandoned_by_two")
        ]

"""Bets that were made in breach of the rules, and what two people decided about them (¶29, D-3)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from pools.models.pools import Pool


class CancelledWhen(models.TextChoices):
    """On which side of its pool's settlement a bet was cancelled."""

    BEFORE = "before", _("before the settlement")
    AFTER = "after", _("after the settlement")


class WinningTaken(models.TextChoices):
    """What became of the winning of a bet that was cancelled after the settlement (D-3)."""

    NONE = "none", _("it had won nothing, or nobody came for it in time")
    UNPAID = "unpaid", _("not paid yet: to the jackpot")
    PAID = "paid", _("paid: to be given back to the organizer")


class BetCancellationProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest of a ticket counts. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="bet_cancellation_proposals")
    ticket = models.CharField(max_length=40, db_index=True)
    reason = models.CharField(max_length=1000, help_text="Which rule was broken, and how.")
    document = models.CharField(max_length=200, help_text="The paper that says so.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class BetCancellation(models.Model):
    """A cancelled bet, once for each ticket, and the two people. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="bet_cancellations", db_index=False)
    ticket = models.CharField(max_length=40)
    proposal = models.OneToOneField(BetCancellationProposal, on_delete=models.PROTECT, related_name="decision")
    cancelled_when = models.CharField(max_length=6, choices=CancelledWhen)
    stake = models.BigIntegerField(help_text="Kopecks, given back in full.")
    winning = models.CharField(max_length=6, choices=WinningTaken, default=WinningTaken.NONE)
    taken = models.BigIntegerField(
        default=0, help_text="Kopecks: of an unpaid winning all of it, of a paid one what the player was handed."
    )
    document_text = models.TextField(help_text="What is published of it: canonical JSON, one line.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    cancelled_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="pools_bet_cancelled_by_two"),
            models.CheckConstraint(
                condition=Q(winning="none", taken=0) | (Q(cancelled_when="after", taken__gt=0) & ~Q(winning="none")),
                name="pools_winning_taken_after_settlement",
            ),
        ]

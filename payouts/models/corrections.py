"""What applying a corrected settlement did to what is owed, and what two people decided about what was overpaid."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from payouts.models.payables import PayableKind
from pools.models import Pool


class CorrectionOutcome(models.TextChoices):
    """What became of a changed winning or returned stake."""

    AMENDED = "amended", _("not paid yet: the amount is corrected")
    REVOKED = "revoked", _("not paid yet: taken back")
    ADDED = "added", _("newly owed")
    MADE_GOOD = "made_good", _("paid or expired already: the rest is made good")
    OVERPAID = "overpaid", _("paid already: too much")
    KEPT = "kept", _("expired already: nothing is changed")
    LEFT = "left", _("the bet was cancelled (¶29): nothing is changed")


class CorrectionBooking(models.Model):
    """What a pool's correction moved, in kopecks, once. Append-only; written together with everything that it did."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True, related_name="correction_booking")
    winnings_added = models.BigIntegerField(help_text="From the organizer, to be paid.")
    winnings_taken = models.BigIntegerField(help_text="Not paid yet, back to the organizer.")
    refunds_added = models.BigIntegerField()
    refunds_taken = models.BigIntegerField()
    takeout = models.BigIntegerField(help_text="By which it grew; below zero: by which it shrank.")
    jackpot = models.BigIntegerField(help_text="By which it grew, from the organizer; below zero: what it gave up.")
    jackpot_short = models.BigIntegerField(help_text="What it should have given up too, and no longer holds.")
    overpaid = models.BigIntegerField(help_text="Paid already, and more than is owed.")
    payable_until = models.DateTimeField(help_text="Exclusive; to when winnings still due can be claimed at least.")
    booked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(winnings_added__gte=0, winnings_taken__gte=0, refunds_added__gte=0, refunds_taken__gte=0)
                & Q(overpaid__gte=0, jackpot_short__gte=0)
                & (Q(jackpot_short=0) | Q(jackpot__lte=0)),
                name="payouts_correction_sums",
            )
        ]


class CorrectedPayable(models.Model):
    """What the correction says of one ticket, and what was done. Append-only.

    `kind` is of the settlement: a winning or a returned stake. Of what is overpaid the case begins with this row.
    """

    pk = models.CompositePrimaryKey("pool_id", "ticket", "kind")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="corrected_payables", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=PayableKind)
    before = models.BigIntegerField(help_text="Kopecks, as the pool was settled.")
    after = models.BigIntegerField(help_text="As it should have been.")
    outcome = models.CharField(max_length=9, choices=CorrectionOutcome)
    moved = models.BigIntegerField(help_text="By which what is due has grown; below zero: shrunk.")
    overpaid = models.BigIntegerField(default=0, help_text="Paid, and not owed.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="amended", moved=F("after") - F("before"), before__gt=0, after__gt=0)
                | Q(outcome="revoked", moved=0 - F("before"), before__gt=0, after=0)
                | Q(outcome="added", moved=F("after"), before=0, after__gt=0)
                | Q(outcome="made_good", moved=F("after") - F("before"), moved__gt=0, kind="winning")
                | Q(outcome__in=("overpaid", "kept"), moved=0, after__lt=F("before"))
                | Q(outcome="left", moved=0),
                name="payouts_corrected_by_outcome",
            ),
            models.CheckConstraint(
                condition=Q(outcome="overpaid", overpaid=F("before") - F("after"))
                | (~Q(outcome="overpaid") & Q(overpaid=0)),
                name="payouts_overpaid_is_the_difference",
            ),
        ]
        indexes = [
            models.Index(fields=["pool", "ticket"], condition=Q(outcome="overpaid"), name="payouts_overpaid_cases")
        ]


class OverpaidProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest of a case counts. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="overpaid_proposals")
    ticket = models.CharField(max_length=40, db_index=True)
    kind = models.CharField(max_length=10, choices=PayableKind)
    reclaim = models.BooleanField(help_text="Ask it back from who was paid; or waive it.")
    reason = models.CharField(max_length=1000)
    document = models.CharField(max_length=200)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class OverpaidDecision(models.Model):
    """A proposal that was approved, once for each case, and the two people. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket", "kind")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="overpaid_decisions", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=PayableKind)
    proposal = models.OneToOneField(OverpaidProposal, on_delete=models.PROTECT, related_name="decision")
    reclaimed = models.BigIntegerField(
        help_text="Kopecks, to be given back: what was handed over beyond what should have been; 0 when it is waived."
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(proposed_by=F("approved_by")) & Q(reclaimed__gte=0), name="payouts_overpaid_decided_by_two"
            )
        ]


class OverpaidState(models.TextChoices):
    """Where a case stands, by its proposals and its decision."""

    OPEN = "open", _("to be decided")
    PROPOSED = "proposed", _("a decision is proposed")
    RECLAIMED = "reclaimed", _("to be given back")
    WAIVED = "waived", _("waived")

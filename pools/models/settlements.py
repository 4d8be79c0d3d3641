"""What is computed of a closed pool: the commitment, the settlement, the winnings."""

from django.db import models
from django.db.models import Q, TextChoices
from django.utils.translation import gettext_lazy as _

from pools.models.pools import Pool


class Commitment(models.Model):
    """The signed commitment.json of a closed pool: digests, Merkle root, count, totals (X1). Append-only."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True)
    document_text = models.TextField()
    committed_at = models.DateTimeField()


class SettlementState(TextChoices):
    """A settlement is paid only once both computations of it agree (H3, I9)."""

    WRITING = "writing", _("winnings are being written")
    CALCULATED = "calculated", _("calculated")
    OFFICIAL = "official", _("official")
    DISPUTED = "disputed", _("the two computations differ")


class ComputedTwice(models.Model):
    """What a pool's money was computed to be by one version of its protocol, and when it became official."""

    version = models.PositiveSmallIntegerField(help_text="Of the protocol that it is computed by.")
    state = models.CharField(max_length=10, choices=SettlementState, default=SettlementState.CALCULATED)
    tally_text = models.TextField()
    statement_text = models.TextField()
    manifest_text = models.TextField(blank=True)
    calculated_at = models.DateTimeField()
    official_at = models.DateTimeField(null=True)
    payable_from = models.DateTimeField(null=True, help_text="D-2, D-4.")
    payable_until = models.DateTimeField(null=True, help_text="Exclusive.")
    difference = models.TextField(blank=True, help_text="What differs, when disputed.")
    release = models.CharField(max_length=71, blank=True, help_text="The release it became official under (R2).")

    class Meta:
        abstract = True


OFFICIAL_HAS_TERM = ~Q(state="official") | Q(
    official_at__isnull=False, payable_from__isnull=False, payable_until__isnull=False
)


class Settlement(ComputedTwice):
    """How a pool was settled: the exact public files and when it became official."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True)
    state_text = models.TextField(help_text="state.json: the jackpot reserved for this pool.")
    jackpot_in = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(name="pools_official_has_term", condition=OFFICIAL_HAS_TERM)]


LARGE_FROM = 50_000
"""Kopecks: winnings from here on are found by their amount."""


class Winning(models.Model):
    """What one bet won on one level: a row of winnings.csv. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket", "level")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="winnings", db_index=False)
    ticket = models.CharField(max_length=40)
    level = models.TextField()
    lines = models.BigIntegerField(help_text="The bet's winning lines on the level.")
    amount = models.BigIntegerField(help_text="Kopecks; 0 is kept on a level that paid too little to share.")

    class Meta:
        indexes = [
            # Large winnings are looked for among all of two months; that few rows cost a settlement nothing.
            models.Index(fields=["pool", "amount"], name="pools_winning_large", condition=Q(amount__gte=LARGE_FROM)),
        ]

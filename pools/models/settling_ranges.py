"""The bets of a huge pool cut into ranges, so that any number of workers settle it together."""

from django.db import models

from pools.models.pools import Pool


class SettlingRange(models.Model):
    """The bets of a pool that were registered in one span of time: counted on their own, then written on their own.

    Working notes: they are there from the first count of a huge pool until its settlement is calculated.
    """

    pk = models.CompositePrimaryKey("pool_id", "number")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="settling_ranges", db_index=False)
    number = models.PositiveIntegerField(help_text="From 0; the order does not matter.")
    since = models.DateTimeField(null=True, help_text="Inclusive; empty for the pool's first bets.")
    before = models.DateTimeField(null=True, help_text="Exclusive; empty for its last ones.")
    basis = models.CharField(max_length=71, help_text="The digest of what bets are counted by: `counting_basis`.")
    counted = models.JSONField(null=True, help_text="What was counted: `RangeCount`.")
    written = models.BooleanField(default=False, help_text="Its winnings are written, in the same transaction as this.")

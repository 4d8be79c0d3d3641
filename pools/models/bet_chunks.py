"""The tree over a closed pool's bets, cut into chunks, so that a bet's path is found without reading all bets (X2)."""

from django.db import models

from pools.models.pools import Pool


class BetChunk(models.Model):
    """A run of a pool's bets in the order of bets.csv, and the root over them. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "number")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveIntegerField(help_text="From 0.")
    first_ticket = models.CharField(max_length=40)
    root = models.BinaryField(max_length=32)

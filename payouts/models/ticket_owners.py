"""Tickets known to be a player's, and the signed wish to have their winnings on the game account (X10, ¶41)."""

from django.db import models

from accounts.models import GameAccount
from pools.models import Pool


class TicketOwner(models.Model):
    """That a player has shown a ticket, or the phone it is bound to, to be theirs. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40)
    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="tickets")
    by_phone = models.BooleanField(help_text="Shown by a code that was sent to its phone; else by its check code.")
    bound_at = models.DateTimeField()


class CreditWish(models.Model):
    """A player's word on where the winnings of such tickets go; the latest counts. Append-only."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="credit_wishes", db_index=False)
    wanted = models.BooleanField(help_text="To the game account; or as they would go without a wish.")
    signed_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["account", "-id"], name="payouts_latest_wish")]

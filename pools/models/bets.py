"""A bet in play: paid and registered, both or neither (¶9.14), and never changed again (¶27)."""

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import LedgerAccount, Person, Till
from pools.models.pools import Pool
from totalizator.core.fields import BitVaryingField


class Channel(models.TextChoices):
    """The way a bet came and its money with it."""

    CASH = "cash", _("cash at a betting point")
    ACCOUNT = "account", _("game account")
    CARD = "card", _("prepaid card")
    TRANSFER = "transfer", _("bank or postal transfer")
    PAPER = "paper", _("paper form at a betting point")


class Bet(models.Model):
    """One registered bet. Append-only.

    `bits` has one bit per outcome of each condition in the pool's announced order, 1 where it is marked.
    """

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="bets", db_index=False)
    ticket = models.CharField(max_length=40, help_text="Begins with the pool's code.")
    bits = BitVaryingField()
    lines = models.BigIntegerField(help_text="Single lines in it: the product of the marks (D-10).")
    stake = models.BigIntegerField(help_text="The whole bet's, in kopecks.")
    registered_at = models.DateTimeField(help_text="By the database's clock (D-11).")
    channel = models.CharField(max_length=10, choices=Channel)
    paid_from = models.ForeignKey(LedgerAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="bets", db_index=False
    )
    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    sold_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    person = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Who is known at a desk, without a game account in this bet; of an account's bet see `player`.",
    )
    terms_digest = models.CharField(max_length=71)
    rules_version = models.CharField(max_length=71)
    salt = models.BinaryField(max_length=16, help_text="Random; makes the public leaf unguessable.")
    check_hash = models.BinaryField(max_length=32, help_text="Keyed hash of the ticket's check code.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(lines__gt=0, stake__gt=0), name="pools_bet_positive"),
        ]
        indexes = [
            # Rows come in the order of time: it costs a bet nothing, and finds the last seconds' bets (U1).
            BrinIndex(fields=["registered_at"], name="pools_bet_by_time", autosummarize=True),
            models.Index(
                fields=["player", "-registered_at"],
                name="pools_bet_history",
                condition=Q(player__isnull=False),
            ),
            models.Index(
                fields=["person", "-registered_at"],
                name="pools_bet_at_desks",
                condition=Q(person__isnull=False),
            ),
            # A till's shift, a point's day: few bets among all of the day's.
            models.Index(
                fields=["till", "-registered_at"],
                name="pools_bet_at_tills",
                condition=Q(till__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.ticket

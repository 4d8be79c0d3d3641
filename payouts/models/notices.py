"""Telling winners: who was told of what, once; and the phones whose holders want to be told (K6)."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField


class NoticePhone(models.Model):
    """The number of the phone that a ticket is bound to, kept because its holder agreed to be told of a winning.

    It is deleted once there is nothing more to tell: the ticket won nothing, its winning is paid or has expired, or the
    holder has changed their mind.
    """

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40)
    phone = EncryptedTextField()
    agreed_at = models.DateTimeField()


class NoticeKind(models.TextChoices):
    """What is told."""

    WON = "won", _("something was won")
    ENDING = "ending", _("the term for payment ends soon")
    CORRECTED = "corrected", _("the result was corrected")


class WinnerNotice(models.Model):
    """That a player was told of all that tickets in a pool won, or a phone of one ticket; once for each kind."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="notices", db_index=False)
    kind = models.CharField(max_length=9, choices=NoticeKind)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="notices", db_index=False
    )
    ticket = models.CharField(max_length=40, blank=True, help_text="Of a notice to a phone; a player's has none.")
    amount = models.BigIntegerField(help_text="Kopecks, before tax.")
    told_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, help_text="When the player marked it as read.")
    mailed_at = models.DateTimeField(null=True, help_text="When the letter to the player was sent.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "kind", "player"],
                condition=Q(player__isnull=False),
                name="payouts_player_told_once",
            ),
            models.UniqueConstraint(
                fields=["pool", "kind", "ticket"], condition=Q(player__isnull=True), name="payouts_phone_told_once"
            ),
            models.CheckConstraint(
                condition=Q(player__isnull=True) & ~Q(ticket="") | Q(player__isnull=False, ticket=""),
                name="payouts_told_player_or_phone",
            ),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], condition=Q(player__isnull=False), name="payouts_notices_mine"),
            models.Index(
                fields=["id"], condition=Q(player__isnull=False, mailed_at__isnull=True), name="payouts_letters_waiting"
            ),
        ]


class PoolNotices(models.Model):
    """That the players who won in a pool were told, and how many. Append-only."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True, related_name="told_winners")
    players = models.PositiveIntegerField()
    told_at = models.DateTimeField()

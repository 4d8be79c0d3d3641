"""Games that have ended, and whose jackpot takes what theirs held and what still comes for it (J3)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from totalizator.core.filed_files import private_storage


class JackpotGame(models.TextChoices):
    """The two games, each with one jackpot (¶16, ¶37)."""

    SPORTLOTO = "sportloto", _("Sportloto")
    TOTOLOT = "totolot", _("Totolot")


class GameEndProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest of a game counts. Append-only.

    The document is kept under its digest. With `jackpot_to` it is a transfer document: it moves the jackpot.
    """

    game = models.CharField(max_length=10, choices=JackpotGame)
    jackpot_to = models.CharField(
        max_length=10, choices=JackpotGame, blank=True, help_text="Empty: the document moves no jackpot."
    )
    reason = models.CharField(max_length=500)
    document_number = models.CharField(max_length=50)
    document_date = models.DateField()
    file = models.FileField(storage=private_storage, max_length=200)
    content_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="Bytes.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the content.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(jackpot_to=F("game")), name="accounts_jackpot_to_another_game")
        ]


class GameEnd(models.Model):
    """A game that ended by a decision of two people. Append-only; no pool of it is announced any more."""

    game = models.CharField(max_length=10, choices=JackpotGame, primary_key=True)
    jackpot_to = models.CharField(max_length=10, choices=JackpotGame, blank=True)
    moved = models.BigIntegerField(help_text="What the jackpot held, in kopecks.")
    proposal = models.OneToOneField(GameEndProposal, on_delete=models.PROTECT, related_name="decision")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_game_ended_by_two"),
            models.CheckConstraint(
                condition=Q(moved=0) | (Q(moved__gt=0) & ~Q(jackpot_to="")), name="accounts_no_jackpot_left_behind"
            ),
        ]

"""Disputes about a ticket, stage by stage, each with who and when (¶45, M1, M2)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField


class DisputeKind(models.TextChoices):
    """How it came."""

    PLAYER = "player", _("by the player whose bet it is")
    DESK = "desk", _("at a desk, by who holds the ticket")
    STAFF = "staff", _("by the organizer's staff, on a letter")
    DISCREPANCY = "discrepancy", _("the ticket shows something else than the register (¶13)")


class DisputeState(models.TextChoices):
    """Where it stands."""

    RECEIVED = "received", pgettext_lazy("a dispute", "received")
    CONSIDERED = "considered", _("being considered")
    UPHELD = "upheld", _("answered: upheld")
    REJECTED = "rejected", _("answered: rejected")


DISPUTE_MOVES: Mapping[DisputeState, frozenset[DisputeState]] = {
    DisputeState.RECEIVED: frozenset({DisputeState.CONSIDERED}),
    DisputeState.CONSIDERED: frozenset({DisputeState.UPHELD, DisputeState.REJECTED}),
    DisputeState.UPHELD: frozenset(),
    DisputeState.REJECTED: frozenset(),
}
# While a ticket has a dispute in one of these states nothing is paid on it.
OPEN_DISPUTES = (DisputeState.RECEIVED, DisputeState.CONSIDERED)


class Dispute(models.Model):
    """One dispute about one ticket; its number is its key. Only its state moves."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="disputes", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=11, choices=DisputeKind)
    story = EncryptedTextField(help_text="In the words of who disputes.")
    shown = models.JSONField(default=dict, help_text="Of a discrepancy: what the ticket shows, and what is registered.")
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=DisputeState, default=DisputeState.RECEIVED)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "ticket"],
                condition=Q(state__in=("received", "considered")),
                name="payouts_one_open_dispute_a_ticket",
            )
        ]

    def __str__(self) -> str:
        return f"dispute {self.pk}"


class DisputeStep(models.Model):
    """A stage that a dispute came to: who took it there, when, with which words. Append-only."""

    pk = models.CompositePrimaryKey("dispute_id", "state")
    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="steps", db_index=False)
    state = models.CharField(max_length=10, choices=DisputeState)
    words = EncryptedTextField(help_text="Of an answer: what is told to who disputes.")
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    taken_at = models.DateTimeField()

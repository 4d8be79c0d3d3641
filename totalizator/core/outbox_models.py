"""Rows of the outbox: what is to be told, what has its number, who is told, and what they answered (U1)."""

from collections.abc import Mapping

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from totalizator.core.encrypted import EncryptedTextField
from totalizator.core.outbox_kinds import EventKind


class PendingEvent(models.Model):
    """An event as its act wrote it, in the act's own transaction; it goes as soon as it has its number."""

    kind = models.CharField(max_length=40, choices=EventKind)
    subject = models.CharField(max_length=120, help_text="`pool:2411-1`, `terminal:5`, `jackpot:totolot`.")
    payload = models.JSONField(help_text="Neither personal data nor codes.")
    at = models.DateTimeField(help_text="When the act was done, by the database's clock.")

    class Meta:
        indexes = [models.Index(fields=["at", "id"], name="core_pending_in_order")]


class OutboxEvent(models.Model):
    """An event at its place in the one order; nothing is ever put before what has been told. Append-only."""

    sequence = models.BigIntegerField(primary_key=True, help_text="From 1, without a gap.")
    kind = models.CharField(max_length=40, choices=EventKind)
    subject = models.CharField(max_length=120)
    payload = models.JSONField()
    at = models.DateTimeField()
    chain = models.CharField(max_length=71, help_text="Digest of this event and of the chain before it.")

    class Meta:
        indexes = [BrinIndex(fields=["at"], name="core_outbox_by_time", autosummarize=True)]


class SubscriberState(models.TextChoices):
    """Whether a subscriber is told of events."""

    PROPOSED = "proposed", pgettext_lazy("a subscriber", "proposed")
    ACTIVE = "active", _("told of events")
    STOPPED = "stopped", _("no longer told")


SUBSCRIBER_MOVES: Mapping[SubscriberState, frozenset[SubscriberState]] = {
    SubscriberState.PROPOSED: frozenset({SubscriberState.ACTIVE, SubscriberState.STOPPED}),
    SubscriberState.ACTIVE: frozenset({SubscriberState.STOPPED}),
    SubscriberState.STOPPED: frozenset(),
}


class Subscriber(models.Model):
    """Who is told of events, and how far. Another address or secret is another subscriber, approved anew."""

    name = models.CharField(max_length=60)
    url = models.CharField(max_length=500, help_text="Where events are sent to.")
    secret = EncryptedTextField(help_text="What messages are signed with; shown once.")
    token_digest = models.BinaryField(max_length=32, unique=True, help_text="SHA-256 of what it fetches events with.")
    kinds = models.JSONField(default=list, help_text="What it is told of; empty: everything.")
    required = models.BooleanField(help_text="Sales stop when it cannot be told for too long.")
    state = models.CharField(max_length=8, choices=SubscriberState, default=SubscriberState.PROPOSED)
    proposed_by = models.CharField(max_length=80, help_text="`user:12`")
    proposed_at = models.DateTimeField()
    approved_by = models.CharField(max_length=80, blank=True)
    approved_at = models.DateTimeField(null=True)
    stop_proposed_by = models.CharField(max_length=80, blank=True)
    stopped_by = models.CharField(max_length=80, blank=True)
    stopped_at = models.DateTimeField(null=True)
    delivered = models.BigIntegerField(help_text="It has every event that it wants up to this number.")
    failures = models.PositiveIntegerField(default=0, help_text="In a row.")
    next_try_at = models.DateTimeField(null=True)
    last_failure = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(state="active"), name="core_subscriber_name_once"),
            models.CheckConstraint(condition=Q(delivered__gte=0), name="core_subscriber_delivered"),
            models.CheckConstraint(condition=~Q(approved_by=F("proposed_by")), name="core_subscriber_by_two"),
            models.CheckConstraint(
                condition=~Q(state="active") | ~Q(approved_by=""), name="core_subscriber_approved_by_somebody"
            ),
        ]

    @property
    def subject(self) -> str:
        """Its name in the journal."""
        return f"subscriber:{self.pk}"


class DayComparison(models.Model):
    """One day's totals as we and a subscriber have them. Append-only."""

    subscriber = models.ForeignKey(Subscriber, on_delete=models.PROTECT, related_name="comparisons")
    day = models.DateField(help_text="The legal day (Europe/Minsk).")
    attempt = models.PositiveSmallIntegerField(help_text="From 1; asked again by hand.")
    ours = models.JSONField()
    theirs = models.JSONField()
    differing = models.JSONField(help_text="Names of what differs; empty: nothing does.")
    compared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["subscriber", "day", "attempt"], name="core_comparison_once"),
        ]

"""Rows that belong to no app: the movable clock, the journal, dated legal numbers, replayed answers."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from totalizator.core.audit_models import JournalSeal, JournalSealer, Release
from totalizator.core.job_models import JobRun
from totalizator.core.outbox_models import DayComparison, OutboxEvent, PendingEvent, Subscriber, SubscriberState

__all__ = [
    "ClockOffset",
    "DayComparison",
    "FailedTry",
    "JobRun",
    "JournalRecord",
    "JournalSeal",
    "JournalSealer",
    "LegalNumber",
    "NonWorkingDay",
    "OutboxEvent",
    "PendingEvent",
    "Release",
    "ReplayedAnswer",
    "Subscriber",
    "SubscriberState",
]


class ClockOffset(models.Model):
    """How far the clock of a demonstration or a test was moved; one row at most, never read in production."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    offset = models.DurationField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="core_clock_one_row")]


class JournalRecord(models.Model):
    """Who did what to what, when and why. Append-only: the database refuses a change (S1)."""

    at = models.DateTimeField(help_text="By the database's clock.")
    actor = models.CharField(max_length=80, help_text="`user:12`, or `task:settle_pool`.")
    act = models.CharField(max_length=60, help_text="The service's name: `place_bet`, `announce_pool`.")
    subject = models.CharField(max_length=120, help_text="`pool:2411-1`, `bet:2411-1-…`.")
    reason = models.TextField(blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["subject", "id"], name="core_journal_subject"),
            BrinIndex(fields=["at"], name="core_journal_by_time", autosummarize=True),
            # Nearly every row tells of a bet: what else happened lately is found without them.
            models.Index(fields=["at"], condition=~models.Q(act="place_bet"), name="core_journal_but_bets"),
        ]


class LegalNumber(models.Model):
    """A number that the law sets and changes: tax rate, minimum age, terms. Each value holds from a date (D-17).

    Of two values for one day the later one holds: a value that has not come into force yet can be put right.
    """

    name = models.CharField(max_length=60)
    valid_from = models.DateField(help_text="First day in Europe/Minsk on which the value holds.")
    value = models.CharField(max_length=40, help_text="A whole number or an exact fraction: `21`, `1/20`.")
    source = models.CharField(max_length=200, help_text="The act that says so.")

    class Meta:
        indexes = [models.Index(fields=["name", "valid_from", "id"], name="core_legal_number_by_day")]


class NonWorkingDay(models.Model):
    """A day on which terms do not end (D-4): a weekend day or a public holiday of Belarus."""

    day = models.DateField(primary_key=True)
    name = models.CharField(max_length=100)


class RiskWarning(models.Model):
    """What the law or the organizer wants every player to read on the site and on each ticket, from a day on (P3)."""

    valid_from = models.DateField(primary_key=True, help_text="First day in Europe/Minsk on which it is shown.")
    ru = models.CharField(max_length=300)
    be = models.CharField(max_length=300)
    en = models.CharField(max_length=300)
    address = models.CharField(max_length=200, blank=True, help_text="Where help is found: shown beside it.")


class FailedTry(models.Model):
    """A wrong code, counted against one subject for a minute (C61); the journal keeps it for good."""

    subject = models.CharField(max_length=120, help_text="`card:AB:0000123457`, `till:3`, `network:192.0.2.7`.")
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["subject", "at"], name="core_failures")]


class ReplayedAnswer(models.Model):
    """What an idempotency key was answered with, so that a repeated request gets the same answer.

    The key itself is not stored, only its digest: who has no key cannot ask for the answer (ADR 4).
    """

    pk = models.CompositePrimaryKey("scope", "key_digest")
    scope = models.CharField(max_length=80, help_text="Who asks: `till:3`, `user:12`.")
    key_digest = models.BinaryField(max_length=32)
    fingerprint = models.BinaryField(max_length=32, help_text="SHA-256 of the act and the request's body.")
    answer = models.CharField(max_length=120, help_text="What was made: a ticket number.")
    created_at = models.DateTimeField()

"""A pool: one set of bets on one event, settled on its own (¶8.1), with terms that nothing can change."""

from functools import lru_cache

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from pools.models.games import Game
from pools.models.states import PoolState
from totalizator.engine.canonical import digest
from totalizator.engine.terms import Terms, parse_terms


@lru_cache(maxsize=256)
def _parsed(terms_text: str) -> Terms:
    return parse_terms(terms_text.encode())


class Pool(models.Model):
    """A pool and its announced terms.

    `terms_text` is the exact text of the public terms.json; the columns beside it repeat what queries need.
    From announcement on the database refuses to change any of them (A1, C19).
    """

    code = models.CharField(max_length=20, unique=True)
    game = models.CharField(max_length=20, choices=Game)
    state = models.CharField(max_length=10, choices=PoolState, default=PoolState.DRAFT)
    terms_text = models.TextField()
    terms_digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of terms_text.")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(help_text="Exclusive: at this instant no bet is taken.")
    draws_jackpot = models.BooleanField(default=False)

    prepared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField()
    announced_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    announced_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True, help_text="When sales ended: closes_at, or earlier by hand.")

    class Meta:
        ordering = ["closes_at", "code"]
        indexes = [models.Index(fields=["state", "closes_at"], name="pools_by_state")]
        constraints = [
            models.CheckConstraint(condition=Q(opens_at__lt=F("closes_at")), name="pools_open_before_close"),
            models.CheckConstraint(
                condition=Q(announced_by__isnull=True) | ~Q(announced_by=F("prepared_by")),
                name="pools_maker_is_not_checker",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def terms(self) -> Terms:
        """The parsed terms (cached by their text)."""
        return _parsed(self.terms_text)

    def digest_of_terms(self) -> str:
        """Return the digest that `terms_digest` must have."""
        return digest(self.terms_text.encode())


class CancellationProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest one counts. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "number")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="cancellation_proposals", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    reason = models.TextField()
    document = models.CharField(max_length=200, help_text="The paper that says so.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class Cancellation(models.Model):
    """Why a pool was cancelled, and the two people who decided it; every stake goes back (¶32). Append-only."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True)
    reason = models.TextField()
    document = models.CharField(max_length=200, help_text="The paper that says so.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    cancelled_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="pools_cancellation_by_two")
        ]

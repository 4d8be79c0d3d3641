"""What passes between us and payment systems: deposits begun, messages received, and what matches nothing (F1, U3)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.currencies import Currency
from accounts.models.game_accounts import GameAccount
from accounts.models.topups import TopUp


class DepositState(models.TextChoices):
    """Where a deposit stands. Only a settled one is on the account: nobody bets money that is not there (F4).

    A payer may fail and then succeed, so a failed deposit can still settle; a settled one is an end. Money that came
    and may not be credited is held (`held_deposits.py`): it is credited later, or given back.
    """

    PENDING = "pending", _("begun")
    FAILED = "failed", _("failed")
    SETTLED = "settled", _("credited")
    HELD = "held", _("held: it may not be credited")
    RETURNED = "returned", _("given back")


DEPOSIT_MOVES: Mapping[DepositState, frozenset[DepositState]] = {
    DepositState.PENDING: frozenset({DepositState.FAILED, DepositState.SETTLED, DepositState.HELD}),
    DepositState.FAILED: frozenset({DepositState.SETTLED, DepositState.HELD}),
    DepositState.HELD: frozenset({DepositState.SETTLED, DepositState.RETURNED}),
    DepositState.SETTLED: frozenset(),
    DepositState.RETURNED: frozenset(),
}


class ProviderDeposit(models.Model):
    """A deposit that a player began at a payment system."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="provider_deposits")
    provider = models.CharField(max_length=20)
    currency = models.CharField(max_length=3, choices=Currency)
    amount = models.BigIntegerField(help_text="In minor units of the currency.")
    state = models.CharField(max_length=8, choices=DepositState, default=DepositState.PENDING)
    begun_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    top_up = models.OneToOneField(TopUp, on_delete=models.PROTECT, null=True, related_name="provider_deposit")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_provider_deposit_positive"),
            models.CheckConstraint(
                condition=Q(state="settled", top_up__isnull=False, settled_at__isnull=False)
                | (~Q(state="settled") & Q(top_up__isnull=True, settled_at__isnull=True)),
                name="accounts_settled_iff_credited",
            ),
        ]

    @property
    def reference(self) -> str:
        """What we call it towards the payment system."""
        return f"D-{self.pk}"


class ProviderMessage(models.Model):
    """A signed message of a payment system that was dealt with, so that it is dealt with once. Append-only."""

    pk = models.CompositePrimaryKey("provider", "event_id")
    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=80)
    kind = models.CharField(max_length=30)
    reference = models.CharField(max_length=80, help_text="What it is about, as we call it.")
    body_digest = models.CharField(max_length=71)
    received_at = models.DateTimeField()


class Mismatch(models.TextChoices):
    """What does not agree."""

    UNKNOWN_HERE = "unknown_here", _("the payment system knows it, we do not")
    UNKNOWN_THERE = "unknown_there", _("we know it, the payment system does not")
    AMOUNT = "amount", _("another amount or currency")
    INSTRUMENT = "instrument", _("another instrument than the money was sent to")
    STATE = "state", _("another state")
    REFUSED = "refused", _("the money came and may not be credited")


class UnmatchedItem(models.Model):
    """What a person has to look at: a queue, from which nothing goes away by itself but what is found later (F1)."""

    provider = models.CharField(max_length=20)
    reference = models.CharField(max_length=80)
    mismatch = models.CharField(max_length=14, choices=Mismatch)
    ours = models.CharField(max_length=80, blank=True, help_text="State and amount here: `settled 10.00 USD`.")
    theirs = models.CharField(max_length=80, blank=True)
    explanation = models.TextField(blank=True)
    found_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decision = models.CharField(max_length=200, blank=True, help_text="What was done about it, by which document.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference", "mismatch", "theirs"],
                condition=Q(closed_at__isnull=True),
                name="accounts_unmatched_open_once",
            )
        ]
        indexes = [
            models.Index(fields=["found_at"], name="accounts_unmatched_open", condition=Q(closed_at__isnull=True))
        ]

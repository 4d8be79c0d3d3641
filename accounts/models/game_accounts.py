"""A registered player's money (¶35.3), and what each state of the account lets its owner do (E5)."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.ledger.models import LedgerAccount


class AccountState(models.TextChoices):
    """Where a game account stands."""

    ACTIVE = "active", _("active")
    BLOCKED = "blocked", _("blocked")
    ENDING = "ending", _("ending")
    ENDED = "ended", pgettext_lazy("a registration", "ended")


MOVES: Mapping[AccountState, frozenset[AccountState]] = {
    AccountState.ACTIVE: frozenset({AccountState.BLOCKED, AccountState.ENDING}),
    AccountState.BLOCKED: frozenset({AccountState.ACTIVE, AccountState.ENDING}),
    AccountState.ENDING: frozenset({AccountState.ENDED}),
    AccountState.ENDED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """What the owner can do. In every state open bets run on, and what they win is credited: money is never taken."""

    bet: bool
    deposit: bool
    withdraw: bool


EFFECTS: Mapping[AccountState, Effect] = {
    AccountState.ACTIVE: Effect(bet=True, deposit=True, withdraw=True),
    AccountState.BLOCKED: Effect(bet=False, deposit=False, withdraw=True),
    AccountState.ENDING: Effect(bet=False, deposit=False, withdraw=True),
    AccountState.ENDED: Effect(bet=False, deposit=False, withdraw=True),  # a stake may still come back (¶29)
}


class GameAccount(models.Model):
    """The one game account of a player. The money itself is its ledger account's balance."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="game_account")
    ledger_account = models.OneToOneField(LedgerAccount, on_delete=models.PROTECT, related_name="game_account")
    opened_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=AccountState, default=AccountState.ACTIVE)

    def __str__(self) -> str:
        return f"game account {self.pk}"


class TrialAccount(models.Model):
    """A game account of nobody's, made to try the system out, for good (E6): proposed by one, approved by another."""

    account = models.OneToOneField(GameAccount, on_delete=models.PROTECT, primary_key=True, related_name="trial")
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    approved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True, approved_at__isnull=True)
                | (Q(approved_by__isnull=False, approved_at__isnull=False) & ~Q(approved_by=F("proposed_by"))),
                name="accounts_trial_by_two",
            )
        ]

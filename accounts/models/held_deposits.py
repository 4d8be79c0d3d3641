"""Deposits that a payment system has taken and that may not be credited: held, then credited or given back (F1)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.currencies import Currency, CurrencyRate
from accounts.models.instruments import PaymentInstrument
from accounts.models.providers import ProviderDeposit


class HeldState(models.TextChoices):
    """Where the money is. Only `held` is owed."""

    HELD = "held", _("held")
    CREDITED = "credited", _("credited")
    RETURNED = "returned", _("given back")


class HeldDeposit(models.Model):
    """What was taken for a deposit, and is in `held_deposits`: so many minor units, worth `amount` kopecks."""

    deposit = models.OneToOneField(ProviderDeposit, on_delete=models.PROTECT, primary_key=True, related_name="held")
    taken = models.BigIntegerField(help_text="In minor units of the currency, as the payment system says.")
    currency = models.CharField(max_length=3, choices=Currency)
    rate = models.ForeignKey(CurrencyRate, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    amount = models.BigIntegerField(help_text="Kopecks, by that rate.")
    instrument = models.ForeignKey(
        PaymentInstrument, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    why = models.CharField(max_length=40, help_text="The code of what was refused, or `amount`.")
    state = models.CharField(max_length=8, choices=HeldState, default=HeldState.HELD)
    held_at = models.DateTimeField()
    moved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(taken__gt=0, amount__gt=0), name="accounts_held_deposit_positive")
        ]
        indexes = [models.Index(fields=["held_at"], condition=Q(state="held"), name="accounts_deposits_held")]


class ReturnState(models.TextChoices):
    """How giving back stands. Like a withdrawal it is `unknown` from before the call until its answer is kept."""

    PROPOSED = "proposed", _("proposed")
    APPROVED = "approved", _("approved")
    UNKNOWN = "unknown", _("unknown")
    SENT = "sent", _("under way")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")


RETURN_MOVES: Mapping[ReturnState, frozenset[ReturnState]] = {
    ReturnState.PROPOSED: frozenset({ReturnState.APPROVED, ReturnState.DONE}),
    ReturnState.APPROVED: frozenset({ReturnState.UNKNOWN}),
    ReturnState.UNKNOWN: frozenset({ReturnState.SENT, ReturnState.DONE, ReturnState.FAILED}),
    ReturnState.SENT: frozenset({ReturnState.DONE, ReturnState.FAILED}),
    ReturnState.DONE: frozenset(),
    ReturnState.FAILED: frozenset(),
}
UNDER_WAY = (ReturnState.APPROVED, ReturnState.UNKNOWN, ReturnState.SENT)


class DepositReturn(models.Model):
    """Giving a held deposit back: by a call to the payment system, or told by its document; decided by two people.

    A document can also say that what was sent and is unknown was not given back.
    """

    held = models.ForeignKey(HeldDeposit, on_delete=models.PROTECT, related_name="returns")
    reason = models.CharField(max_length=200)
    document = models.CharField(max_length=200, blank=True, help_text="Empty: the payment system is asked to do it.")
    returned = models.BooleanField(default=True, help_text="What the document says: whether the payer has the money.")
    state = models.CharField(max_length=8, choices=ReturnState, default=ReturnState.PROPOSED)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    moved_at = models.DateTimeField()
    provider_reference = models.CharField(max_length=80, blank=True)
    told = models.CharField(max_length=200, blank=True, help_text="Why it failed.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(proposed_by=F("approved_by")) | Q(approved_by__isnull=True),
                name="accounts_deposit_returned_by_two",
            ),
            models.CheckConstraint(
                condition=Q(state="proposed", approved_by__isnull=True)
                | (~Q(state="proposed") & Q(approved_by__isnull=False)),
                name="accounts_return_moves_approved",
            ),
            models.CheckConstraint(
                condition=Q(returned=True) | ~Q(document=""), name="accounts_not_returned_by_document"
            ),
            models.UniqueConstraint(
                fields=["held"],
                condition=Q(state__in=["approved", "unknown", "sent"]),
                name="accounts_one_return_under_way",
            ),
        ]

    @property
    def reference(self) -> str:
        """What we call it towards the payment system."""
        return f"R-{self.pk}"

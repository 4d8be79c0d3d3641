"""Orders to the bank to pay somebody: withdrawals, and winnings and stakes of bets paid by transfer (¶41-42)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.postal_operators import PostalOperator
from accounts.models.withdrawals import Withdrawal
from totalizator.core.encrypted import EncryptedTextField


class OrderState(models.TextChoices):
    """Where an order stands. One that came back is drawn up anew, with requisites that are right, as another order."""

    DRAWN_UP = "drawn_up", _("drawn up")
    EXPORTED = "exported", _("given to the bank")
    EXECUTED = "executed", _("executed")
    RETURNED = "returned", _("returned")
    REPLACED = "replaced", _("drawn up anew")


ORDER_MOVES: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.DRAWN_UP: frozenset({OrderState.EXPORTED, OrderState.RETURNED}),
    OrderState.EXPORTED: frozenset({OrderState.EXECUTED, OrderState.RETURNED}),
    OrderState.EXECUTED: frozenset(),
    OrderState.RETURNED: frozenset({OrderState.REPLACED}),
    OrderState.REPLACED: frozenset(),
}


class PaymentOrder(models.Model):
    """One payment order: who gets what, and what for."""

    cause = models.CharField(max_length=80, help_text="`withdrawal:12`, `winning:2411-1-…`, `refund:2411-1-…`.")
    withdrawal = models.OneToOneField(
        Withdrawal, on_delete=models.PROTECT, null=True, related_name="order", help_text="Of which it is the order."
    )
    replaces = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="replaced_by")
    payee_name = EncryptedTextField()
    payee_account = EncryptedTextField()
    payee_bank = models.CharField(max_length=11, blank=True, help_text="BIC.")
    payee_address = EncryptedTextField(default="", help_text="Where the post brings the money; empty: to an account.")
    post = models.ForeignKey(
        PostalOperator,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Whose account it goes to, if the post brings the money to the payee.",
    )
    requisites_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Who of the staff wrote the payee down by hand: another person gives the order to the bank.",
    )
    amount = models.BigIntegerField(help_text="Kopecks.")
    purpose = models.CharField(max_length=140)
    state = models.CharField(max_length=10, choices=OrderState, default=OrderState.DRAWN_UP)
    drawn_up_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    file_digest = models.CharField(max_length=71, blank=True, help_text="Of the file it was given to the bank in.")
    bank_reference = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=200, blank=True, help_text="Why it came back.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_order_positive"),
            models.UniqueConstraint(fields=["cause"], condition=Q(replaces__isnull=True), name="accounts_order_once"),
        ]
        indexes = [models.Index(fields=["id"], name="accounts_orders_to_export", condition=Q(state="drawn_up"))]

    @property
    def number(self) -> str:
        """The order's number, as printed, and as the bank gives it back: `PO-17`."""
        return f"PO-{self.pk}"

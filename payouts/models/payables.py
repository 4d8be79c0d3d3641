"""A payable: what is owed on one ticket. A payment: the act of paying it, once."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import LedgerAccount, Till
from pools.models import Pool


class PayableKind(models.TextChoices):
    """A winning expires (¶15); a refund only lapses, by a decision of two people (D-12)."""

    WINNING = "winning", _("winning")
    CORRECTION = "correction", _("winning made good by a correction")
    REFUND = "refund", _("returned stake")


class PayableState(models.TextChoices):
    """Where a payable stands."""

    DUE = "due", _("to be paid")
    PAID = "paid", _("paid")
    EXPIRED = "expired", _("expired into the jackpot")
    REVOKED = "revoked", _("taken back: the bet was cancelled, or the result corrected")
    LAPSED = "lapsed", _("not collected in the limitation term: in the jackpot")


_SAID: Mapping[tuple[str, str], Promise] = {
    (PayableKind.WINNING, PayableState.PAID): pgettext_lazy("a winning", "paid"),
    (PayableKind.WINNING, PayableState.EXPIRED): pgettext_lazy("a winning", "expired into the jackpot"),
    (PayableKind.WINNING, PayableState.REVOKED): pgettext_lazy(
        "a winning", "taken back: the bet was cancelled, or the result corrected"
    ),
    (PayableKind.CORRECTION, PayableState.PAID): pgettext_lazy("a sum made good", "paid"),
    (PayableKind.CORRECTION, PayableState.EXPIRED): pgettext_lazy("a sum made good", "expired into the jackpot"),
    (PayableKind.CORRECTION, PayableState.REVOKED): pgettext_lazy(
        "a sum made good", "taken back: the bet was cancelled, or the result corrected"
    ),
    (PayableKind.REFUND, PayableState.PAID): pgettext_lazy("a returned stake", "paid"),
    (PayableKind.REFUND, PayableState.LAPSED): pgettext_lazy(
        "a returned stake", "not collected in the limitation term: in the jackpot"
    ),
    (PayableKind.REFUND, PayableState.REVOKED): pgettext_lazy(
        "a returned stake", "taken back: the bet was cancelled, or the result corrected"
    ),
}
"""The states said of what is owed, which in some languages agree with its gender."""

# What is taxed, and expires.
WINNINGS = (PayableKind.WINNING, PayableKind.CORRECTION)

MOVES: Mapping[PayableState, frozenset[PayableState]] = {
    PayableState.DUE: frozenset({PayableState.PAID, PayableState.EXPIRED, PayableState.REVOKED, PayableState.LAPSED}),
    PayableState.PAID: frozenset(),
    PayableState.EXPIRED: frozenset(),
    PayableState.REVOKED: frozenset(),
    PayableState.LAPSED: frozenset(),
}


class Payable(models.Model):
    """What is owed on a ticket: the sum of its winnings, or its returned stake.

    Its amount changes only while it is due, and only as a correction of the pool's settlement says.
    """

    pk = models.CompositePrimaryKey("pool_id", "ticket", "kind")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="payables", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=PayableKind)
    amount = models.BigIntegerField(help_text="Kopecks, before tax.")
    state = models.CharField(max_length=8, choices=PayableState, default=PayableState.DUE)
    pay_to = models.ForeignKey(
        LedgerAccount,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="The game account or card the stake came from; of one that came by transfer, the payment orders that "
        "are on their way (¶41); empty: cash, to who presents the ticket.",
    )
    payable_from = models.DateTimeField()
    payable_until = models.DateTimeField(null=True, help_text="Exclusive; empty: does not expire.")
    settled_at = models.DateTimeField(null=True, help_text="When it was paid, or expired, was revoked, or lapsed.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="payouts_payable_positive"),
            models.CheckConstraint(
                condition=Q(state="due", settled_at__isnull=True) | (~Q(state="due") & Q(settled_at__isnull=False)),
                name="payouts_settled_iff_not_due",
            ),
        ]
        indexes = [
            models.Index(
                fields=["payable_from", "pool"],
                condition=Q(state="due", pay_to__isnull=False),
                name="payouts_to_credit",
            ),
            models.Index(
                fields=["payable_until", "pool"],
                condition=Q(state="due", payable_until__isnull=False),
                name="payouts_to_expire",
            ),
            models.Index(
                fields=["payable_from", "pool"],
                condition=Q(state="due", kind="refund"),
                name="payouts_to_return",
            ),
        ]

    @property
    def state_said(self) -> str | Promise:
        """Its state, as it is said beside the word for its kind."""
        return _SAID.get((self.kind, self.state), PayableState(self.state).label)


class PaymentMethod(models.TextChoices):
    """How a payable was paid (¶41-43)."""

    GAME_ACCOUNT = "game_account", _("to the game account")
    CARD = "card", _("to the prepaid card")
    CASH = "cash", _("in cash")
    TRANSFER = "transfer", _("by a payment order to the bank")


class Payment(models.Model):
    """One payment. Append-only; its key is the payable's, so nothing is paid twice."""

    pk = models.CompositePrimaryKey("pool_id", "ticket", "kind")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="payments", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=PayableKind)
    method = models.CharField(max_length=12, choices=PaymentMethod)
    gross = models.BigIntegerField()
    tax = models.BigIntegerField(help_text="Withheld income tax (D-17).")
    net = models.BigIntegerField()
    rounded = models.BigIntegerField(default=0, help_text="Of the net, what rounding cash down kept back (C46).")
    paid_at = models.DateTimeField()
    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="+")
    paid_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    # Not stored: the request that led to this payment had been answered before.
    replayed = False

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(gross=F("net") + F("tax"), tax__gte=0, net__gte=0, gross__gt=0),
                name="payouts_gross_is_net_plus_tax",
            ),
            models.CheckConstraint(
                condition=Q(rounded=0) | Q(method="cash", rounded__gt=0, rounded__lt=F("net")),
                name="payouts_only_cash_is_rounded",
            ),
        ]
        indexes = [BrinIndex(fields=["paid_at"], name="payouts_paid_by_time", autosummarize=True)]

    @property
    def handed_over(self) -> int:
        """What the player got, in kopecks: the net, less what cash was rounded by."""
        return self.net - self.rounded

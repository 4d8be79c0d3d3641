"""An order for a bet to be paid by transfer: made on the organizer's form, no bet until its money is there (¶9.8)."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import BankLine, Person
from pools.models.pools import Pool
from totalizator.core.encrypted import EncryptedTextField


class BetOrderState(models.TextChoices):
    """Where an order stands. One that nobody pays in time stays open and means nothing."""

    OPEN = "open", _("to be paid")
    REGISTERED = "registered", _("paid and registered as a bet")


class BetOrder(models.Model):
    """What a payer wants to bet. The database lets only its payment be added, once."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="bet_orders")
    selections = models.TextField(help_text="As in bets.csv: `1;X;1+2`.")
    stake = models.BigIntegerField(help_text="Kopecks.")
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="+", help_text="Who plays, where that is known (X15)."
    )
    payer_name = EncryptedTextField()
    payer_account = EncryptedTextField(help_text="IBAN: where money goes back to (¶41); empty: it goes by post.")
    payer_address = EncryptedTextField(default="", help_text="Of who pays by post: where money goes back to (¶41).")
    rules_version = models.CharField(max_length=71, help_text="Of the rules that the payer agreed to (¶9.9).")
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")
    state = models.CharField(max_length=10, choices=BetOrderState, default=BetOrderState.OPEN)
    ticket = models.CharField(max_length=40, null=True, unique=True)
    paid_by = models.OneToOneField(BankLine, on_delete=models.PROTECT, null=True, related_name="bet_order")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(stake__gt=0), name="pools_order_positive"),
            models.CheckConstraint(
                condition=Q(state="open", ticket__isnull=True, paid_by__isnull=True)
                | Q(state="registered", ticket__isnull=False, paid_by__isnull=False),
                name="pools_order_registered_iff_paid",
            ),
        ]

    def __str__(self) -> str:
        return f"bet order {self.pk}"

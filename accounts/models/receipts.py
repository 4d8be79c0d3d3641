"""Money that came by transfer, until everybody knows whose it is: it waits in `bank_suspense` (¶9.13, ¶17.1-17.3)."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.bank import BankLine


class WhyOpen(models.TextChoices):
    """Why money still waits. Only `new` is looked at by the job; everything else is for people."""

    NEW = "new", _("not looked at yet")
    NO_REFERENCE = "no_reference", _("no requisites (¶17.1)")
    UNREADABLE = "unreadable", _("unreadable requisites (¶17.2)")
    LATE = "late", _("paid late (¶17.3)")
    PART_PAID = "part_paid", _("less than the stake (¶9.13)")
    OVERPAID = "overpaid", _("more than the stake: the rest")
    PAID_BEFORE = "paid_before", _("the bet was paid before")
    OTHER_PAYER = "other_payer", _("paid by another than the order's payer (¶41)")
    AWAITS_REGISTER = "register", _("paid by the post, whose register is awaited")
    NOBODYS = "nobodys", _("no such account or bet")
    REFUSED = "refused", _("refused")
    PLACED = "placed", _("placed")


class Receipt(models.Model):
    """One credited line of a statement, and how much of it still waits."""

    line = models.OneToOneField(BankLine, on_delete=models.PROTECT, primary_key=True, related_name="receipt")
    open_amount = models.BigIntegerField(help_text="Kopecks in `bank_suspense`; only falls.")
    why = models.CharField(max_length=12, choices=WhyOpen, default=WhyOpen.NEW)
    reference = models.CharField(max_length=20, blank=True, help_text="As read: `ACC-00000017-53`.")
    refusal = models.CharField(max_length=40, blank=True, help_text="The code of what the account or pool refused.")
    looked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(why="placed", open_amount=0) | (~Q(why="placed") & Q(open_amount__gt=0)),
                name="accounts_receipt_open_iff_not_placed",
            )
        ]
        indexes = [
            models.Index(fields=["why", "line"], condition=~Q(why="placed"), name="accounts_receipts_open"),
        ]

    def __str__(self) -> str:
        return f"receipt {self.pk}"


class Outcome(models.TextChoices):
    """Where money went."""

    GAME_ACCOUNT = "account", _("to a game account")
    BET = "bet", _("stake of a bet")
    JACKPOT = "jackpot", _("to the jackpot (¶17.1-17.3)")
    RETURNED = "returned", _("back to the payer")
    BOOKED_BEFORE = "booked", _("booked before by a document")
    REGISTER = "register", _("told part by part in the post's register")


class Placement(models.Model):
    """A part of a receipt that found its place. Append-only."""

    pk = models.CompositePrimaryKey("receipt_id", "number")
    receipt = models.ForeignKey(Receipt, on_delete=models.PROTECT, related_name="placements", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    outcome = models.CharField(max_length=10, choices=Outcome)
    amount = models.BigIntegerField(help_text="Kopecks.")
    subject = models.CharField(max_length=120, help_text="`game_account:17`, `bet:2411-1-…`, `order:3`.")
    placed_at = models.DateTimeField()
    placed_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`, `task:match_receipts`.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_placement_positive")]

"""Prepaid cards (¶35.2): batches, cards, and what may follow what. The database never knows an activation code."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.ledger.models import LedgerAccount
from accounts.models.points import BettingPoint, Till
from totalizator.core.errors import DomainError, Refusal

MOST_CARDS = 100_000  # in one batch: it is made in one transaction
NUMBER_DIGITS = 12
SPENT = "spent"  # what people call a sold card without money


class BatchState(models.TextChoices):
    """Where a batch stands. Its cards come into being with the export: before it there is no code to be stolen."""

    PROPOSED = "proposed", _("proposed")
    APPROVED = "approved", _("approved")
    EXPORTED = "exported", _("exported to the printer")


class CardBatch(models.Model):
    """Cards of one series, face value and validity that are printed together, by decision of two people (D1)."""

    series = models.CharField(max_length=6, help_text="Latin letters and digits: `AB`.")
    quantity = models.PositiveIntegerField()
    face_value = models.BigIntegerField(help_text="Kopecks, of each card.")
    valid_until = models.DateField(help_text="Printed on the cards: the last legal day of their use.")
    state = models.CharField(max_length=8, choices=BatchState, default=BatchState.PROPOSED)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    approved_at = models.DateTimeField(null=True)
    exported_at = models.DateTimeField(null=True)
    export_digest = models.CharField(max_length=71, blank=True, help_text="`sha256:` + hex, of the file handed out.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(quantity__gt=0, quantity__lte=MOST_CARDS, face_value__gt=0), name="accounts_card_batch_size"
            ),
            models.CheckConstraint(
                condition=Q(state="proposed", approved_by__isnull=True)
                | (~Q(state="proposed") & Q(approved_by__isnull=False) & ~Q(approved_by=F("proposed_by"))),
                name="accounts_card_batch_by_two",
            ),
            models.CheckConstraint(
                condition=Q(state="exported", exported_at__isnull=False)
                | (~Q(state="exported") & Q(exported_at__isnull=True)),
                name="accounts_card_batch_exported",
            ),
        ]

    @property
    def subject(self) -> str:
        """How the journal names this batch."""
        return f"card_batch:{self.pk}"


class CardState(models.TextChoices):
    """Where a card stands, as people decided. Being spent is no state: the ledger tells it, and a winning ends it."""

    PRINTED = "printed", _("printed")
    SHIPPED = "shipped", _("on the way to a point")
    AT_POINT = "at_point", _("for sale at a point")
    ACTIVE = "active", _("sold")
    BLOCKED = "blocked", pgettext_lazy("a card", "blocked")
    EXPIRED = "expired", _("expired")
    REPLACED = "replaced", _("replaced by another card")


MOVES: Mapping[CardState, frozenset[CardState]] = {
    CardState.PRINTED: frozenset({CardState.SHIPPED, CardState.BLOCKED, CardState.EXPIRED}),
    CardState.SHIPPED: frozenset({CardState.AT_POINT, CardState.BLOCKED, CardState.EXPIRED}),
    CardState.AT_POINT: frozenset({CardState.SHIPPED, CardState.ACTIVE, CardState.BLOCKED, CardState.EXPIRED}),
    CardState.ACTIVE: frozenset({CardState.BLOCKED, CardState.EXPIRED, CardState.REPLACED}),
    CardState.BLOCKED: frozenset(
        {
            CardState.PRINTED,
            CardState.SHIPPED,
            CardState.AT_POINT,
            CardState.ACTIVE,
            CardState.EXPIRED,
            CardState.REPLACED,
        }
    ),
    CardState.EXPIRED: frozenset(),
    CardState.REPLACED: frozenset(),
}


class PrepaidCard(models.Model):
    """One card. The money on it is its ledger account's balance, which it has from its sale on."""

    number = models.CharField(max_length=NUMBER_DIGITS, unique=True, help_text="Digits; the last one checks the rest.")
    batch = models.ForeignKey(CardBatch, on_delete=models.PROTECT, related_name="cards")
    code_hash = models.BinaryField(max_length=32, help_text="Keyed hash of the activation code.")
    state = models.CharField(max_length=8, choices=CardState, default=CardState.PRINTED)
    expires_at = models.DateTimeField(help_text="Exclusive. Only ever grows: what is credited can be used for a while.")
    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, null=True, related_name="cards")
    ledger_account = models.ForeignKey(
        LedgerAccount, on_delete=models.PROTECT, null=True, related_name="cards", help_text="Empty: not sold."
    )
    sold_at = models.DateTimeField(null=True, help_text="Empty for a card that took another one's place.")
    sold_at_till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="+")
    blocked_from = models.CharField(
        max_length=8, choices=CardState, blank=True, help_text="The state that a blocked card goes back to."
    )
    blocked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["ledger_account"], condition=~Q(state="replaced"), name="accounts_card_one_an_account"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["printed", "shipped", "at_point"], ledger_account__isnull=True)
                | Q(state__in=["active", "replaced"], ledger_account__isnull=False)
                | Q(state__in=["blocked", "expired"]),
                name="accounts_card_money_iff_sold",
            ),
            models.CheckConstraint(
                condition=(Q(state="blocked") & ~Q(blocked_from="") & Q(blocked_by__isnull=False))
                | (~Q(state="blocked") & Q(blocked_from="")),
                name="accounts_card_blocked_from",
            ),
        ]
        indexes = [
            models.Index(fields=["point", "state"], name="accounts_cards_in_stock"),
            models.Index(
                fields=["expires_at"],
                condition=~Q(state__in=["expired", "replaced"]),
                name="accounts_cards_to_expire",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def subject(self) -> str:
        """How the journal names this card."""
        return f"card:{self.number}"


class CardReplacement(models.Model):
    """A damaged card's money goes to another card: proposed with a proof by one person, approved by another (D4)."""

    damaged = models.ForeignKey(PrepaidCard, on_delete=models.PROTECT, related_name="replacements")
    replacement = models.ForeignKey(PrepaidCard, on_delete=models.PROTECT, related_name="+")
    proof = models.TextField(help_text="What shows that the card is the bearer's: the receipt, the torn card.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    approved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True) | ~Q(approved_by=F("proposed_by")),
                name="accounts_card_replaced_by_two",
            ),
            models.UniqueConstraint(
                fields=["damaged"], condition=Q(approved_by__isnull=False), name="accounts_card_replaced_once"
            ),
        ]


def move_card(card: PrepaidCard, to: CardState, **changes: Any) -> None:
    """Take `card` from the state it was read in to `to`, setting `changes`, if nobody moved it meanwhile.

    :raises DomainError: WRONG_STATE when the table does not allow the move, or the row has moved on.
    """
    came_from = CardState(card.state)
    moved = 0
    if to in MOVES[came_from]:
        moved = PrepaidCard.objects.filter(pk=card.pk, state=came_from).update(state=to, **changes)
    if not moved:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("Card %(number)s is %(state)s; it cannot become %(wanted)s.")
            % {"number": card.number, "state": came_from.label, "wanted": to.label},
            state=came_from.value,
        )
    card.state = to
    for name, value in changes.items():
        setattr(card, name, value)


def states_before(to: CardState) -> list[CardState]:
    """Return the states from which a card may become `to`."""
    return [state for state, ends in MOVES.items() if to in ends]

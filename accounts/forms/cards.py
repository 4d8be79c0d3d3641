"""What staff write of prepaid cards: batches, ranges, replacements (¶35.2, D1-D4)."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.days import DayField
from accounts.forms.named import PointField
from accounts.models.cards import MOST_CARDS
from accounts.services.card_ranges import CardRange
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal

_PLAIN = {"autocomplete": "off", "spellcheck": "false"}
_DIGITS = _PLAIN | {"inputmode": "numeric"}


def _secret(label: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
    return forms.CharField(label=label, max_length=200, strip=False, widget=widget)


class FindCardForm(forms.Form):
    """A card, by its number as it is printed."""

    number = forms.CharField(label=_("Card number"), max_length=40, widget=forms.TextInput(attrs=_DIGITS))


class BatchForm(forms.Form):
    """What is to be printed."""

    series = forms.CharField(
        label=_("Series"),
        max_length=20,
        widget=forms.TextInput(attrs=_PLAIN),
        help_text=_("1 to 6 Latin letters or digits."),
    )
    quantity = forms.IntegerField(label=_("How many cards"), min_value=1, max_value=MOST_CARDS)
    face_value = AmountField(
        label=_("Face value, BYN"),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    valid_until = DayField(label=_("Last day"), help_text=_("The last day on which a card of it pays."))


class SealForm(forms.Form):
    """Under which passphrase the printer opens the file."""

    passphrase = _secret(_("Passphrase"))
    again = _secret(_("Passphrase, again"))

    def clean_again(self) -> str:
        """Refuse two that differ: nobody could open the file."""
        again: str = self.cleaned_data["again"]
        if again != self.cleaned_data.get("passphrase", again):
            raise ValidationError(_("The two passphrases differ."))
        return again


class RangeForm(forms.Form):
    """Cards of a series from the first number to the last, as printed; `cards` is the range."""

    series = forms.CharField(label=_("Series"), max_length=20, widget=forms.TextInput(attrs=_PLAIN))
    first = forms.CharField(label=_("First number"), max_length=40, widget=forms.TextInput(attrs=_DIGITS))
    last = forms.CharField(label=_("Last number"), max_length=40, widget=forms.TextInput(attrs=_DIGITS))
    cards: CardRange

    def clean(self) -> dict[str, object]:
        """Take the three together for a range."""
        told = super().clean() or {}
        if {"series", "first", "last"} <= told.keys():
            try:
                self.cards = CardRange.typed(told.pop("series"), told.pop("first"), told.pop("last"))
            except DomainError as refusal:
                add_refusal(self, refusal)
        return told


class ShipmentForm(RangeForm):
    """Cards, where they go, and the paper that goes with them."""

    point = PointField(label=_("Point"), max_length=12, help_text=_("The code of the point that they go to."))
    document = forms.CharField(label=_("Waybill"), max_length=200)
    field_order = ("point", "series", "first", "last", "document")


class BlockForm(RangeForm):
    """Cards, and why."""

    reason = forms.CharField(label=_("Reason"), max_length=200)


class ReplacementForm(forms.Form):
    """The damaged card, the one that takes its place, and what shows that the card is the bearer's."""

    damaged = forms.CharField(
        label=_("Number of the damaged card"), max_length=40, widget=forms.TextInput(attrs=_DIGITS)
    )
    replacement = forms.CharField(
        label=_("Number of the new card"),
        max_length=40,
        widget=forms.TextInput(attrs=_DIGITS),
        help_text=_("A card that is for sale at a point, not sold yet."),
    )
    proof = forms.CharField(
        label=_("Proof"), max_length=200, help_text=_("What shows that it is the bearer's: the receipt, the torn card.")
    )

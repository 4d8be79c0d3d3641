"""What staff write when they hand cash over or take it over (¶9.5)."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.named import TillField
from accounts.forms.shifts import CountForm
from accounts.models import Route

BY_STAFF = (Route.DESK_TO_POINT, Route.DESK_TO_BANK, Route.BANK_TO_DESK)
"""Ways on which the organizer's staff give."""


class GivingForm(forms.Form):
    """Cash that goes out of the hands of the organizer's staff."""

    route = forms.ChoiceField(label=_("From where to where"), choices=[(way.value, way.label) for way in BY_STAFF])
    amount = AmountField(
        label=_("Amount, BYN"),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    till = TillField(
        label=_("Till"), max_length=20, required=False, help_text=_("That receives it: point/number, such as P1/2.")
    )
    document = forms.CharField(
        label=_("The bank's document"), max_length=60, required=False, help_text=_("Where one end is the bank.")
    )
    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)

    def clean_route(self) -> Route:
        """Return the way."""
        return Route(self.cleaned_data["route"])

    def clean(self) -> dict[str, Any] | None:
        """Ask for the bank's document where one end is the bank."""
        told = super().clean() or {}
        with_bank = told.get("route") in (Route.DESK_TO_BANK, Route.BANK_TO_DESK)
        if with_bank and "document" in told and not told["document"]:
            self.add_error("document", ValidationError(_("Give the number of the bank's document.")))
        return told


class ReceivingForm(CountForm):
    """What arrived, as it was counted."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["counted"].label = _("Counted, BYN")

"""Counting a till, at the opening and at the closing of a shift."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField


class CountForm(forms.Form):
    """The cash that the cashier has counted, and why it differs, if it does."""

    counted = AmountField(
        label=_("Cash counted in the till, BYN"),
        max_length=20,
        widget=forms.TextInput(attrs={"autofocus": True, "inputmode": "decimal", "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Reason of a difference"), max_length=500, required=False, help_text=_("Only when the count differs.")
    )

    def look_at_reason(self) -> None:
        """Put the cursor where it is said why the count differs; the count stands."""
        self.fields["counted"].widget.attrs.pop("autofocus", None)
        self.fields["reason"].widget.attrs["autofocus"] = True

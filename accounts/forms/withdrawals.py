"""What a player types to have money sent: how much and where to; and what the page that reads it back sends."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.once import OnceForm
from accounts.forms.top_ups import amount_input
from accounts.models import PaymentInstrument
from accounts.services.post import LONGEST_ADDRESS

BY_POST = "post"


class WithdrawalForm(forms.Form):
    """How much, and to which of one's own instruments; a new address where the post brings money."""

    amount = AmountField(label=_("Amount, BYN"), max_length=20, widget=amount_input())
    instrument = forms.ChoiceField(label=_("Where to"), widget=forms.RadioSelect)
    postal_address = forms.CharField(
        label=_("Postal address"),
        max_length=LONGEST_ADDRESS,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "street-address"}),
        help_text=_("Only for a transfer by post: it is paid to you for your document."),
    )

    def __init__(
        self, told: Mapping[str, Any] | None = None, *, instruments: Sequence[PaymentInstrument], by_post: bool
    ) -> None:
        super().__init__(told)
        choices = [(str(each.pk), f"{each.get_kind_display()} {each.label}") for each in instruments]
        if by_post:
            choices.append((BY_POST, str(_("by post, to the address below"))))
        else:
            del self.fields["postal_address"]
        field = cast(forms.ChoiceField, self.fields["instrument"])
        field.choices = choices
        if len(choices) == 1:
            self.initial["instrument"] = choices[0][0]

    def named(self) -> tuple[int | None, str | None]:
        """Return the number of the instrument that was chosen, or the address that was typed."""
        chosen = self.cleaned_data["instrument"]
        return (None, self.cleaned_data["postal_address"]) if chosen == BY_POST else (int(chosen), None)


class WishForm(OnceForm):
    """A withdrawal that is read back before it is asked for."""

    amount = AmountField(max_length=20, widget=forms.HiddenInput)
    instrument = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)

"""What a player types to limit the own play: what, in how long a time, how much (P1)."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.top_ups import amount_input
from accounts.models import LimitKind, LimitPeriod


class WhichLimitForm(forms.Form):
    """A limit, named."""

    kind = forms.ChoiceField(label=_("What is limited"), choices=LimitKind.choices)
    period = forms.ChoiceField(label=_("In how long a time"), choices=LimitPeriod.choices)

    def which(self) -> tuple[LimitKind, LimitPeriod]:
        """Return what the form names."""
        return LimitKind(self.cleaned_data["kind"]), LimitPeriod(self.cleaned_data["period"])


class LimitForm(WhichLimitForm):
    """A limit, and how high it shall be."""

    amount = AmountField(label=_("At most, BYN"), max_length=20, widget=amount_input())

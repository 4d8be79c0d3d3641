"""What the staff write when they refuse a withdrawal, or propose another value of a dated number."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.forms.days import DayField
from totalizator.core.errors import DomainError
from totalizator.core.legal_words import number_asked, value_typed
from totalizator.core.models import LegalNumber


def _names() -> list[tuple[str, str]]:
    names = LegalNumber.objects.order_by("name").values_list("name", flat=True).distinct()
    return [("", ""), *sorted(((name, number_asked(name)) for name in names), key=lambda choice: choice[1])]


class RefusalForm(forms.Form):
    """Why a withdrawal is not made; it is named by a hidden field."""

    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    reason = forms.CharField(label=_("Reason"), max_length=200)


class NumberForm(forms.Form):
    """Which number has which value, in its own unit, from which legal day on; who says so, and why."""

    name = forms.ChoiceField(label=pgettext_lazy("a dated number", "Number"), choices=_names)
    value = forms.CharField(
        label=pgettext_lazy("a dated number", "Value"),
        max_length=40,
        help_text=_("In the unit that stands behind the number's name: 1000.00, 5, 24."),
    )
    valid_from = DayField(label=_("Holds from"))
    source = forms.CharField(label=_("Document"), max_length=200, help_text=_("The act or decision that says so."))
    reason = forms.CharField(label=_("Reason"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 3}))

    def clean(self) -> dict[str, Any]:
        """Read the value in the unit of its number."""
        cleaned = super().clean() or self.cleaned_data
        if "name" in cleaned and "value" in cleaned:
            try:
                cleaned["value"] = value_typed(cleaned["name"], cleaned["value"])
            except DomainError as refusal:
                self.add_error("value", str(refusal.message))
        return cleaned

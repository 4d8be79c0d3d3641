"""What players type about themselves: who they are, and for how long they want to be kept from play."""

from datetime import datetime
from typing import cast

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms.days import DayField
from accounts.forms.once import OnceForm
from totalizator.core import clock
from totalizator.core.legal import legal_numbers

COOLING_OFF_DAYS, SELF_EXCLUSION_MONTHS = (1, 3, 7, 14, 30, 90, 180), (6, 12, 18, 24, 36)


class IdentityForm(forms.Form):
    """What the player's document says, and the bank account that money goes to."""

    full_name = forms.CharField(
        label=_("Full name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    birth_date = DayField(label=_("Date of birth"), autocomplete="bday")
    identity_number = forms.CharField(
        label=_("Identity number"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    document = forms.CharField(
        label=_("Document"), max_length=200, help_text=_("Kind, series and number, issued by whom and when.")
    )
    bank_account = forms.CharField(
        label=_("Bank account"),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Yours, in IBAN form; may stay empty. Without it no money can be sent to the bank."),
    )


class PauseForm(forms.Form):
    """For how long: days of cooling-off, or months of self-exclusion, within what the dated numbers allow (P2)."""

    term = forms.ChoiceField(label=_("For how long"))

    def __init__(self, *told: object, **options: object) -> None:
        super().__init__(*told, **options)  # type: ignore[arg-type]
        field = cast(forms.ChoiceField, self.fields["term"])
        field.choices = _terms(clock.now())

    def wished(self) -> tuple[str, int]:
        """Return `days` or `months`, and how many."""
        unit, _dash, number = self.cleaned_data["term"].partition("-")
        return unit, int(number)


class FinalPauseForm(OnceForm, PauseForm):
    """A pause that was read back: the last word."""

    def __init__(self, *told: object, **options: object) -> None:
        super().__init__(*told, **options)  # type: ignore[arg-type]
        self.fields["term"].widget = forms.HiddenInput()


class EndForm(forms.Form):
    """The own log-in name, typed once more, so that nobody ends a registration by a slip."""

    username = forms.CharField(
        label=_("Your log-in name, once more"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )


def term_words(unit: str, number: int) -> str:
    """Say `7 days`, `12 months`."""
    if unit == "days":
        return ngettext("%(count)s day", "%(count)s days", number) % {"count": number}
    return ngettext("%(count)s month", "%(count)s months", number) % {"count": number}


def _terms(at: datetime) -> list[tuple[object, object]]:
    numbers = legal_numbers(at)
    days = range(int(numbers["cooling_off_min_days"]), int(numbers["cooling_off_max_days"]) + 1)
    months = range(int(numbers["self_exclusion_min_months"]), int(numbers["self_exclusion_max_months"]) + 1)
    short = [(f"days-{each}", term_words("days", each)) for each in COOLING_OFF_DAYS if each in days]
    long = [(f"months-{each}", term_words("months", each)) for each in SELF_EXCLUSION_MONTHS if each in months]
    return [("", ""), (_("Cooling-off"), short), (_("Self-exclusion"), long)]

"""Tables that the staff upload, and what goes with them: a day of a payment system, rates, money paid over."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.days import DayField
from accounts.services.providers.known import provider_names
from totalizator.core.filed_files import MOST_BYTES


class TableField(forms.FileField):
    """A table in UTF-8 or Windows-1251; its value is the text, with plain line ends."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the text; refuse what is too long or no text."""
        file = super().clean(data, initial)
        if (file.size or 0) > MOST_BYTES:
            raise ValidationError(_("A file of at most 10 MB is wanted."))
        content = file.read()
        for encoding in ("utf-8-sig", "cp1251"):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                return text.replace("\r\n", "\n").replace("\r", "\n")
        raise ValidationError(_("The file is no text in UTF-8 or Windows-1251."))


def _providers() -> list[tuple[str, str]]:
    return [("", ""), *((name, name) for name in provider_names())]


def _reference() -> forms.CharField:
    return forms.CharField(
        label=_("Reference of the bank's statement"), max_length=60, help_text=_("The same one is booked once.")
    )


def _amount(label: Any) -> AmountField:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    return AmountField(label=label, max_length=20, widget=widget)


class RatesForm(forms.Form):
    """A file of rates, and whose they are (¶35.4)."""

    text = TableField(label=_("File"), help_text=_("Its first line is date;currency;units;rate."))
    source = forms.CharField(label=_("Whose rates they are"), max_length=100)
    accept_jumps = forms.BooleanField(label=_("Somebody has looked at the rates that changed much"), required=False)


class ReportForm(forms.Form):
    """A payment system's report of a legal day that is over (F1)."""

    provider = forms.ChoiceField(label=_("Payment system"), choices=_providers)
    day = DayField(label=_("Day"))
    text = TableField(label=_("File"), help_text=_("Its first line is reference;kind;outcome;amount;currency."))


class PaidOverForm(forms.Form):
    """What reached the bank, and what the payment system held for it (F1)."""

    provider = forms.ChoiceField(label=_("Payment system"), choices=_providers)
    received = _amount(_("Has reached the bank, BYN"))
    held = _amount(_("For what it held for us, BYN"))
    reference = _reference()


class PrefundedForm(forms.Form):
    """What the bank paid to a payment system, from which it pays withdrawals (F1)."""

    provider = forms.ChoiceField(label=_("Payment system"), choices=_providers)
    amount = _amount(_("Amount, BYN"))
    reference = _reference()

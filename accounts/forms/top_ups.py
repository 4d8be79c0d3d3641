"""What a player types to put money onto the game account: by a payment system, or from a prepaid card (¶35)."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.once import OnceForm
from accounts.models import Currency
from accounts.services.providers.known import find_provider, provider_names, provider_title


def amount_input() -> forms.TextInput:
    """Return the input of an amount: a telephone shows its digits."""
    return forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})


def _as_printed() -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"})


class TopUpForm(OnceForm):
    """Which payment system, how much of which currency; what there is only one of is not asked for."""

    provider = forms.ChoiceField(label=_("Payment system"))
    currency = forms.ChoiceField(label=_("Currency"))
    amount = AmountField(label=_("Amount"), max_length=20, widget=amount_input())

    def __init__(self, told: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(told, **options)
        names = provider_names()
        taken = {currency for name in names for currency in find_provider(name).currencies}
        self._offer("provider", [(name, provider_title(name)) for name in names])
        self._offer("currency", [(each.value, f"{each.value}, {each.label}") for each in Currency if each in taken])

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = cast(forms.ChoiceField, self.fields[name])
        if len(choices) == 1:
            field.widget = forms.HiddenInput()
            self.initial[name] = choices[0][0]
        field.choices = choices


class CardTopUpForm(OnceForm):
    """A prepaid card, all three together as printed, and how much of it."""

    series = forms.CharField(label=_("Series"), max_length=20, widget=_as_printed())
    number = forms.CharField(label=_("Number"), max_length=40, widget=_as_printed())
    code = forms.CharField(label=_("Activation code"), max_length=60, widget=_as_printed())
    amount = AmountField(
        label=_("Amount, BYN"),
        max_length=20,
        required=False,
        widget=amount_input(),
        help_text=_("Leave it empty to take all that is on the card."),
    )

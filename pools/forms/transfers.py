"""What the staff write about transfers: what becomes of one without a place, one told by a document (¶17, ¶35.5)."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.fields import MOST_NUMBER, document_field, reason_field
from accounts.models import Outcome, TopUpWay
from pools.forms.local_time import LocalDateTimeField

_DECIDED = [("", ""), *((each.value, each.label) for each in Outcome if each != Outcome.REGISTER)]
_TYPED = {"autocomplete": "off", "spellcheck": "false"}


class ReceiptForm(forms.Form):
    """What becomes of money that waits; each outcome asks for its own."""

    outcome = forms.ChoiceField(label=_("Where the money goes"), choices=_DECIDED)
    account = forms.CharField(
        label=_("Player"),
        max_length=150,
        required=False,
        help_text=_("The log-in name; only for a game account."),
        widget=forms.TextInput(attrs=_TYPED),
    )
    order = forms.IntegerField(
        label=_("Bet order"),
        min_value=1,
        max_value=MOST_NUMBER,
        required=False,
        help_text=_("Its number; only for a stake."),
    )
    payee_name = forms.CharField(
        label=_("Payee"), max_length=140, required=False, help_text=_("Only for a return; empty: who paid.")
    )
    payee_account = forms.CharField(
        label=_("Payee's account"),
        max_length=40,
        required=False,
        help_text=_("Only for a return; empty: from where it was paid."),
    )
    payee_address = forms.CharField(
        label=_("Payee's address"), max_length=200, required=False, help_text=_("Only for a return by post.")
    )
    reason = reason_field(1_000)
    document = document_field()

    def clean(self) -> dict[str, Any]:
        """Ask for what the outcome needs."""
        told = super().clean() or self.cleaned_data
        for outcome, name in ((Outcome.GAME_ACCOUNT, "account"), (Outcome.BET, "order")):
            if told.get("outcome") == outcome and name not in self.errors and not told.get(name):
                self.add_error(name, forms.Field.default_error_messages["required"])
        return told


class DocumentTransferForm(forms.Form):
    """What a transfer brought to a player's account, told by a document of the bank or the post."""

    account = forms.CharField(
        label=_("Player"), max_length=150, help_text=_("The log-in name."), widget=forms.TextInput(attrs=_TYPED)
    )
    amount = AmountField(label=_("Amount, BYN"), max_length=20)
    method = forms.ChoiceField(
        label=_("Way"),
        choices=[(way.value, way.label) for way in (TopUpWay.BANK_TRANSFER, TopUpWay.POSTAL_TRANSFER)],
    )
    reference = forms.CharField(
        label=_("Document"), max_length=60, help_text=_("Its number: the same one credits nothing more.")
    )
    received_at = LocalDateTimeField(label=_("Received"))

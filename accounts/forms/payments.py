"""What the staff write about payments: what does not agree, what is given back, orders to the bank."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.fields import MOST_NUMBER, document_field, either_field, reason_field
from accounts.models import OwnBankAccount


class PaymentDecisionForm(forms.Form):
    """What is done about a payment that does not agree, by which document."""

    act = forms.ChoiceField(
        label=_("What to do"),
        choices=[
            ("", ""),
            ("credit", _("credit it, if the payment system says now that it has the money")),
            ("hold", _("hold it, if it may not be credited")),
            ("close", _("close it: no money moves")),
        ],
    )
    decision = forms.CharField(
        label=_("What was done"),
        max_length=200,
        required=False,
        help_text=_("And by which document; to hold it nothing has to be written."),
    )

    def clean(self) -> dict[str, Any]:
        """Ask for words wherever something is decided."""
        told = super().clean() or self.cleaned_data
        if told.get("act") in ("credit", "close") and not told.get("decision"):
            self.add_error("decision", forms.Field.default_error_messages["required"])
        return told


class ReturnForm(forms.Form):
    """Why a held deposit is given back, and what a document of the payment system says of it, if one does."""

    reason = reason_field()
    way = forms.ChoiceField(
        label=_("What to do"),
        choices=[
            ("", ""),
            ("ask", _("ask the payment system to give it back")),
            ("returned", _("a document says that the payer has the money")),
            ("not_returned", _("a document says that what was sent was not done")),
        ],
    )
    document = document_field(required=False)

    def clean(self) -> dict[str, Any]:
        """Ask for the document exactly where one says so."""
        told = super().clean() or self.cleaned_data
        if "way" in told and told["way"] != "ask" and not told.get("document"):
            self.add_error("document", _("Name the document that says so."))
        if told.get("way") == "ask" and told.get("document"):
            self.add_error("document", _("With a document nobody is asked: choose what it says."))
        return told


class EndForm(forms.Form):
    """How a withdrawal ended, and the document of the payment system that says so."""

    paid = either_field(
        _("How it ended"),
        yes=_("the player has the money"),
        no=_("it was not paid: the money goes back on the account"),
    )
    document = document_field()


class ExportForm(forms.Form):
    """From which of our accounts the orders are paid; `after` is the newest file that the person has seen."""

    account = forms.ModelChoiceField(
        label=_("Our account"), queryset=OwnBankAccount.objects.order_by("pk"), empty_label=None
    )
    after = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=MOST_NUMBER)


class ReturnedOrderForm(forms.Form):
    """Why an order came back from the bank."""

    reason = reason_field()


class PayeeForm(forms.Form):
    """Who is to be paid instead, as the payee's paper says."""

    payee_name = forms.CharField(label=_("Payee"), max_length=140)
    payee_account = forms.CharField(label=_("Payee's account"), max_length=40)
    payee_bank = forms.CharField(
        label=_("Payee's bank"), max_length=11, required=False, help_text=_("BIC, where it is known.")
    )

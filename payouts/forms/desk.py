"""Forms of the cashier's desk: its one field, a sale, cash onto an account, cash out of hands, a phone's code."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.days import DayField
from payouts.models import Mishap
from payouts.services.desk_field import read_card
from pools.forms.coupon import PaymentForm

_PLAIN = {"autocomplete": "off", "spellcheck": "false"}
_MONEY = _PLAIN | {"inputmode": "decimal"}


class GivenField(AmountField):
    """What the customer gives; a card that was scanned there is no amount, though it is all digits."""

    def clean(self, value: Any) -> Any:
        """Return kopecks, None where it was left empty."""
        if read_card(str(value or "")) is not None:
            raise forms.ValidationError(_("This is the number of a card. Type what the customer gives."))
        return super().clean(value)


def given_field() -> AmountField:
    """Return the field for what the customer gives; left empty, the sum was exact."""
    return GivenField(
        label=_("Given by the customer, BYN"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs=_MONEY | {"autofocus": True}),
    )


class FieldForm(forms.Form):
    """The one field."""

    scan = forms.CharField(max_length=4_000)


class SaleForm(PaymentForm):
    """A coupon that was read back, its pool, and what the customer gives."""

    pool = forms.CharField(max_length=40, widget=forms.HiddenInput)
    given = given_field()


class CardSaleForm(forms.Form):
    """A card that was scanned, and what the customer gives."""

    series = forms.CharField(max_length=20, widget=forms.HiddenInput)
    number = forms.CharField(max_length=40, widget=forms.HiddenInput)
    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)
    given = given_field()


class TopUpForm(forms.Form):
    """Whose account, and how much."""

    username = forms.CharField(
        label=_("Player's log-in name"), max_length=150, widget=forms.TextInput(attrs=_PLAIN | {"autofocus": True})
    )
    amount = AmountField(label=_("Amount, BYN"), max_length=20, widget=forms.TextInput(attrs=_MONEY))


class TopUpReadBackForm(TopUpForm):
    """The same, read back; and what the customer gives."""

    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)
    given = given_field()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name in ("username", "amount"):
            self.fields[name].widget = forms.HiddenInput()


class IdentifyForm(forms.Form):
    """Which player shows a document, and what is typed from it."""

    username = forms.CharField(
        label=_("Player's log-in name"), max_length=150, widget=forms.TextInput(attrs=_PLAIN | {"autofocus": True})
    )
    identity_number = forms.CharField(
        label=_("Identity number"),
        max_length=40,
        widget=forms.TextInput(attrs=_PLAIN),
        help_text=_("Typed from the document in hand."),
    )
    birth_date = DayField(label=_("Date of birth"))


class IdentifiedForm(IdentifyForm):
    """The same, once the recorded name was compared with the document."""

    compared = forms.BooleanField(widget=forms.HiddenInput)

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name in ("username", "identity_number", "birth_date"):
            self.fields[name].widget = forms.HiddenInput()


class HandoverForm(forms.Form):
    """Cash that goes from the till to the cash desk."""

    amount = AmountField(
        label=_("Cash handed over, BYN"), max_length=20, widget=forms.TextInput(attrs=_MONEY | {"autofocus": True})
    )
    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)


class ReceiptForm(forms.Form):
    """Cash that has come to the till, as it was counted."""

    counted = AmountField(label=_("Counted, BYN"), max_length=20, widget=forms.TextInput(attrs=_MONEY))
    reason = forms.CharField(
        label=_("Reason of a difference"), max_length=500, required=False, help_text=_("Only when the count differs.")
    )


class PhoneForm(forms.Form):
    """A ticket that is not there, the phone that it is bound to, and the code that was sent to it."""

    ticket = forms.CharField(
        label=_("Ticket number"), max_length=60, widget=forms.TextInput(attrs=_PLAIN | {"autofocus": True})
    )
    phone = forms.CharField(
        label=_("Phone"), max_length=30, widget=forms.TextInput(attrs=_PLAIN | {"inputmode": "tel"})
    )
    phone_code = forms.CharField(
        label=_("Code from the phone"),
        help_text=_("Leave it empty to send a code."),
        required=False,
        max_length=10,
        widget=forms.TextInput(attrs=_PLAIN | {"inputmode": "numeric"}),
    )


class DeskDisputeForm(forms.Form):
    """What who holds a ticket says is wrong with it."""

    story = forms.CharField(
        label=_("What is wrong"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("About the bet, its winning or its payment. Nothing is paid on the ticket until this is answered."),
    )


class CompareForm(forms.Form):
    """What a ticket shows, to be compared with what is registered."""

    coupon = forms.CharField(
        label=_("Coupon on the ticket"),
        max_length=4_000,
        widget=forms.TextInput(attrs=_PLAIN | {"autocapitalize": "characters"}),
        help_text=_("Its marks one after another, several of one match in brackets: 1X(12)."),
    )
    stake = AmountField(label=_("Stake on the ticket, BYN"), max_length=20, widget=forms.TextInput(attrs=_MONEY))


class ShownForm(forms.Form):
    """What the document of who is paid a large winning says."""

    full_name = forms.CharField(label=_("Full name"), max_length=200, widget=forms.TextInput(attrs=_PLAIN))
    identity_number = forms.CharField(label=_("Identity number"), max_length=40, widget=forms.TextInput(attrs=_PLAIN))
    birth_date = DayField(label=_("Date of birth"))
    document = forms.CharField(label=_("Document"), max_length=100, widget=forms.TextInput(attrs=_PLAIN))


class ClaimForm(ShownForm):
    """A ticket that is not there or cannot be read, and who says it is theirs."""

    ticket = forms.CharField(
        label=_("Ticket number"), max_length=60, widget=forms.TextInput(attrs=_PLAIN | {"autofocus": True})
    )
    check_code = forms.CharField(
        label=_("Check code"),
        help_text=_("Leave it empty if the customer does not know it."),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs=_PLAIN),
    )
    mishap = forms.ChoiceField(label=_("What became of the ticket"), choices=Mishap.choices)
    story = forms.CharField(
        label=_("In the customer's words"),
        help_text=_("Where and when it was bought, what was bet."),
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    field_order = ("ticket", "check_code", "mishap", "story")

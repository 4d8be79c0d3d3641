"""What the staff write about the bank and the post: files, our accounts, lines in doubt."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.days import DayField
from accounts.forms.fields import ReadFileField, document_field, either_field

_IBAN = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})


class BankFileForm(forms.Form):
    """A statement of the bank, or a register of the post."""

    kind = forms.ChoiceField(
        label=_("What it is"),
        choices=[
            ("statement", _("a statement of the bank")),
            ("register", _("a register of the post")),
        ],
        help_text=_("A statement is in camt.053, MT940 or CSV, a register in CSV."),
    )
    file = ReadFileField(
        label=_("File"), accept=".xml,.sta,.mt940,.940,.txt,.csv", help_text=_("As the bank or the post has sent it.")
    )


class OwnAccountForm(forms.Form):
    """An account of ours at a bank."""

    iban = forms.CharField(label=_("Account (IBAN)"), max_length=40, widget=_IBAN)
    bank = forms.CharField(label=_("Bank (BIC)"), max_length=20, widget=_IBAN)
    holder = forms.CharField(label=_("Holder"), max_length=140, help_text=_("As the bank writes it."))


class PostForm(forms.Form):
    """The agreement with the post that holds from a day on."""

    name = forms.CharField(label=_("Name of the post"), max_length=140, help_text=_("As the bank writes it."))
    account = forms.CharField(label=_("Account (IBAN)"), max_length=40, widget=_IBAN)
    bank = forms.CharField(label=_("Bank (BIC)"), max_length=20, widget=_IBAN)
    agreement = forms.CharField(label=_("Agreement"), max_length=200, help_text=_("Its number and day."))
    valid_from = DayField(label=_("Holds from"), help_text=_("Today or later."))


class DoubtForm(forms.Form):
    """Whether a line tells a payment that is known, and what the bank says."""

    same = either_field(
        _("What it is"),
        yes=_("the same payment, told twice: it stays out of the books"),
        no=_("another payment: it is booked"),
    )
    document = document_field(label=_("What the bank says"), help_text=_("Its letter or answer: number and day."))

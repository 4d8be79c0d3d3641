"""Forms that name a ticket, and the organizer's form for the jackpot."""

from django import forms
from django.utils.translation import gettext_lazy as _

from totalizator.core.money import parse_byn


class TicketForm(forms.Form):
    """A ticket's number and its check code, as printed."""

    ticket = forms.CharField(
        label=_("Ticket number"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    check_code = forms.CharField(
        label=_("Check code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class JackpotForm(forms.Form):
    """The organizer's money for a jackpot (¶17.6, ¶38.3)."""

    game = forms.ChoiceField(label=_("Jackpot"), choices=[("sportloto", _("Sportloto")), ("totolot", _("Totolot"))])
    amount = forms.CharField(label=_("Amount, BYN"), max_length=20)
    document = forms.CharField(label=_("Document"), help_text=_("Its name, number and date."), max_length=50)

    def kopecks(self) -> int:
        """Return the amount; :raises DomainError: BAD_VALUE naming `amount`."""
        return parse_byn(self.cleaned_data["amount"])

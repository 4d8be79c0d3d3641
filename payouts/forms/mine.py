"""A player's own forms: looking through bets, disputing one, binding a ticket, agreeing to be published."""

from datetime import datetime, timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from payouts.queries.my_bets import BetFate
from pools.models import Game

PERIODS = {"month": 31, "half": 184, "year": 366}
"""Days back from now; every other period is all that there is."""


def _printed(label: object, most: int, *, required: bool = True) -> forms.CharField:
    """Return a field of what is printed on a ticket, which no browser keeps or corrects."""
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "characters"})
    return forms.CharField(label=label, max_length=most, required=required, widget=widget)  # type: ignore[arg-type]


class HistoryForm(forms.Form):
    """Which of my bets: of a game, by what became of them, of a period; a year unless told."""

    state = forms.ChoiceField(label=_("State"), required=False, choices=[("", _("all")), *BetFate.choices])
    game = forms.ChoiceField(label=_("Game"), required=False, choices=[("", _("all")), *Game.choices])
    period = forms.ChoiceField(
        label=_("Period"),
        required=False,
        choices=[("year", _("a year")), ("half", _("half a year")), ("month", _("a month")), ("all", _("all time"))],
    )

    def narrows(self, now: datetime) -> dict[str, str | datetime | None]:
        """Return what the bets are narrowed to; what cannot be read narrows nothing."""
        self.full_clean()
        period = PERIODS.get(self.cleaned_data.get("period") or "year")
        return {
            "fate": self.cleaned_data.get("state", ""),
            "game": self.cleaned_data.get("game", ""),
            "since": now - timedelta(days=period) if period is not None else None,
        }


class OwnDisputeForm(forms.Form):
    """What is wrong with a ticket of one's own, and a document that shows it."""

    ticket = _printed(_("Ticket number"), 60)
    story = forms.CharField(
        label=_("What is wrong"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("About the bet, its winning or its payment. What is not paid yet waits for the answer."),
    )
    file = forms.FileField(
        label=_("Document"), required=False, help_text=_("PDF, JPEG or PNG, 10 MB at most; more can be added later.")
    )


class DocumentForm(forms.Form):
    """A document more."""

    file = forms.FileField(label=_("Document"), help_text=_("PDF, JPEG or PNG, 10 MB at most."))


class BindForm(forms.Form):
    """A paper ticket: its number with its check code; of one that is bound to a phone also a code sent there."""

    ticket = _printed(_("Ticket number"), 60)
    check_code = _printed(_("Check code"), 40)
    phone_code = forms.CharField(
        label=_("Code from the message"),
        max_length=10,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
        help_text=_("Only of a ticket that is bound to a phone."),
    )


class PhoneForm(forms.Form):
    """A ticket and the phone that it is bound to, where a code is sent."""

    ticket = _printed(_("Ticket number"), 60)
    phone = forms.CharField(
        label=_("Phone"), max_length=30, widget=forms.TextInput(attrs={"autocomplete": "tel", "inputmode": "tel"})
    )


class WishForm(forms.Form):
    """Yes or no, by a button."""

    wanted = forms.TypedChoiceField(
        choices=[("yes", ""), ("no", "")], coerce=lambda value: value == "yes", widget=forms.HiddenInput
    )


class ConsentForm(forms.Form):
    """A winning ticket of one's own, and what may be published: what is left empty may not."""

    ticket = _printed(_("Ticket number"), 60)
    name = forms.CharField(
        label=_("Name, as it may be shown"), max_length=200, required=False, help_text=_("Such as: Yanka K., Minsk.")
    )
    words = forms.CharField(
        label=_("What else may be told"), max_length=500, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    amount = forms.BooleanField(label=_("The sum that I won may be shown"), required=False)

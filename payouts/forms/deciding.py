"""What the staff write when they consider, propose and answer: disputes, claims, bets to be cancelled, events."""

from django import forms
from django.utils.translation import gettext_lazy as _


def _words(label: object, most: int = 4_000) -> forms.CharField:
    return forms.CharField(label=label, max_length=most, widget=forms.Textarea(attrs={"rows": 4}))  # type: ignore[arg-type]


def _ticket() -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    return forms.CharField(label=_("Ticket number"), max_length=60, widget=widget)


class LetterForm(forms.Form):
    """A dispute that came by letter."""

    ticket = _ticket()
    story = _words(_("What is disputed, in the words of who disputes"))


class ConsiderForm(forms.Form):
    """A note of what will be looked at."""

    words = _words(_("What will be looked at"))


class AnswerForm(forms.Form):
    """What is told to who disputes."""

    upheld = forms.TypedChoiceField(
        label=_("Answer"),
        choices=[("", ""), ("yes", _("Upheld")), ("no", _("Rejected"))],
        coerce=lambda value: value == "yes",
    )
    words = _words(_("What is told to who disputes"))


class ClaimDecisionForm(forms.Form):
    """Whether who claims a lost ticket is to be paid, and why."""

    grant = forms.TypedChoiceField(
        label=_("What to do"),
        choices=[("", ""), ("yes", _("Pay the claimant")), ("no", _("Refuse the claim"))],
        coerce=lambda value: value == "yes",
    )
    reason = forms.CharField(label=_("Reason"), max_length=500)


class BreachForm(forms.Form):
    """Which bet broke which rule, and the paper that says so (¶29)."""

    ticket = _ticket()
    reason = _words(_("Which rule was broken, and how"), 1_000)
    document = forms.CharField(label=_("Document"), help_text=_("Its name, number and date."), max_length=200)


class SeenForm(forms.Form):
    """What was done about a significant event; the event is named by a hidden field."""

    key = forms.CharField(max_length=120, widget=forms.HiddenInput)
    words = _words(_("What was done"), 2_000)

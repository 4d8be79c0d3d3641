"""What the organizer's staff ask and write about players: found, recorded, verified, blocked, ended (¶35.3, E1, E5)."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.days import DayField
from accounts.models import AccountAct, AccountState, VerificationMethod
from accounts.queries.players import TO_VERIFY


def _plain(label: object, most: int, **options: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    return forms.CharField(label=label, max_length=most, widget=widget, **options)  # type: ignore[arg-type]


def _birth_date(**options: Any) -> DayField:
    return DayField(label=_("Date of birth"), autocomplete="off", **options)


def _states() -> list[tuple[str, object]]:
    return [("", _("all")), (TO_VERIFY, _("to be verified")), *AccountState.choices]


class PlayersForm(forms.Form):
    """Which players are listed."""

    name = _plain(_("Log-in name"), 150, required=False, help_text=_("Its beginning is enough."))
    state = forms.ChoiceField(label=_("State"), choices=_states, required=False)


class DocumentForm(forms.Form):
    """Whom a document names."""

    identity_number = _plain(_("Identity number"), 40, required=False)
    full_name = _plain(_("Or the full name"), 200, required=False)
    birth_date = _birth_date(required=False, help_text=_("Together with the name."))


class RecordForm(forms.Form):
    """What a player's document says, by the player's application on paper."""

    full_name = _plain(_("Full name"), 200)
    birth_date = _birth_date()
    identity_number = _plain(_("Identity number"), 40)
    document = _plain(_("Document"), 200, help_text=_("Kind, series and number, issued by whom and when."))
    bank_account = _plain(_("Bank account"), 40, required=False)


class VerifyForm(forms.Form):
    """What the document says that staff have in hand, and how they saw it."""

    method = forms.ChoiceField(label=_("How it was shown"), choices=[("", ""), *VerificationMethod.choices])
    identity_number = _plain(_("Identity number"), 40, help_text=_("Typed from the document in hand."))
    birth_date = _birth_date()


class BlockForm(forms.Form):
    """Why an account is to be blocked, or opened again."""

    what = forms.ChoiceField(choices=AccountAct.choices, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=500, widget=forms.Textarea(attrs={"rows": 3}))


class ApproveBlockForm(forms.Form):
    """What another person proposed, as it was read."""

    what = forms.ChoiceField(choices=AccountAct.choices, widget=forms.HiddenInput)


class EndForm(forms.Form):
    """Why a registration ends."""

    reason = forms.CharField(label=_("Reason"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 3}))
    sure = forms.BooleanField(label=_("I know that this cannot be taken back."))


class PaperAccountForm(forms.Form):
    """The bank account that a player named on paper, and the paper."""

    bank_account = _plain(_("Bank account"), 40)
    document = forms.CharField(label=_("Document"), help_text=_("Its name, number and date."), max_length=200)

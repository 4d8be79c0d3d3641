"""What the staff write about money of pools: what lapses, longer terms, claims, ended games, winners."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.forms.days import DayField
from accounts.forms.fields import SCANS, ReadFileField, document_field, reason_field
from accounts.models import JackpotGame
from totalizator.core.filed_files import kind_of_scan

_TYPED = {"autocomplete": "off", "spellcheck": "false"}
_A_SCAN = _("PDF, JPEG or PNG, 10 MB at most.")


def _ticket() -> forms.CharField:
    return forms.CharField(label=_("Ticket number"), max_length=40, widget=forms.TextInput(attrs=_TYPED))


def _story(label: object) -> forms.CharField:
    return forms.CharField(label=label, max_length=4_000, widget=forms.Textarea(attrs={"rows": 4}))  # type: ignore[arg-type]


class LapseForm(forms.Form):
    """The paper by which refunds that nobody collected go to the jackpot."""

    document = document_field()


class ExtensionForm(forms.Form):
    """Until when winnings are to be paid, why, and by which document."""

    last_day = DayField(label=_("Last day"))
    reason = reason_field(500)
    document = document_field()


class ResultClaimForm(forms.Form):
    """A claim against a published result, with the official document."""

    code = forms.CharField(label=_("Code of the pool"), max_length=40, widget=forms.TextInput(attrs=_TYPED))
    claimant = forms.CharField(label=_("Who claims, and where to answer"), max_length=500)
    story = _story(_("Which outcome is said to be wrong, and why"))
    issuer = forms.CharField(
        label=_("Who has issued the document"), max_length=200, help_text=_("A federation, a league.")
    )
    file = ReadFileField(label=_("Official document"), accept=SCANS, help_text=_A_SCAN)


class ClaimAnswerForm(forms.Form):
    """What is answered to who claims."""

    upheld = forms.TypedChoiceField(
        label=_("Answer"),
        choices=[("", ""), ("yes", _("Upheld")), ("no", _("Rejected"))],
        coerce=lambda value: value == "yes",
    )
    words = _story(_("What is told to who claims"))


class GivenBackForm(forms.Form):
    """How much of a paid winning came back to the bank, and the paper that shows it."""

    ticket = _ticket()
    amount = AmountField(label=_("Amount, BYN"), max_length=20)
    document = document_field(100)


class GameEndForm(forms.Form):
    """Which game ends and why, with the document that moves its jackpot."""

    game = forms.ChoiceField(label=_("Game"), choices=[("", ""), *JackpotGame.choices])
    jackpot_to = forms.ChoiceField(
        label=_("Its jackpot goes to"),
        choices=[("", _("nowhere: the jackpot is empty")), *JackpotGame.choices],
        required=False,
    )
    reason = reason_field(500)
    number = forms.CharField(label=_("Number of the document"), max_length=50)
    dated = DayField(label=_("Date of the document"))
    file = ReadFileField(label=_("Scan of the document"), accept=SCANS, help_text=_A_SCAN)


class ConsentForm(forms.Form):
    """What a winner has agreed to on signed paper; what is left out may not be published."""

    ticket = _ticket()
    name = forms.CharField(
        label=_("Name of the winner"), max_length=200, required=False, help_text=_("As it may be shown.")
    )
    words = forms.CharField(
        label=_("What else may be told"),
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    amount = forms.BooleanField(label=_("The sum may be shown"), required=False)
    photo = ReadFileField(
        label=_("Photo"), accept=".jpg,.jpeg,.png", required=False, help_text=_("JPEG or PNG, 10 MB at most.")
    )
    file = ReadFileField(label=_("Scan of the signed paper"), accept=SCANS, help_text=_A_SCAN)

    def clean_photo(self) -> Any:
        """Refuse what is no photo."""
        photo: bytes = self.cleaned_data["photo"]
        kind = kind_of_scan(photo)
        if photo and (kind is None or not kind[0].startswith("image/")):
            raise forms.ValidationError(_("A JPEG or PNG file is wanted."))
        return photo


class WithdrawnForm(forms.Form):
    """By which paper the winner wants nothing published any more."""

    reason = reason_field()

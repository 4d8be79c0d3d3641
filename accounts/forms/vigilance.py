"""What the organizer's staff write about who may not play, and about cases of suspicion (E6, P2, Q1)."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from accounts.models import CaseState, InsiderKind
from totalizator.core.filed_files import MOST_BYTES


class TableField(forms.FileField):
    """A file that is a table: its text, in UTF-8."""

    def clean(self, data: Any, initial: Any = None) -> str:
        """Return the text with plain line ends; a file that is none is told beside the field."""
        file: UploadedFile[Any] = super().clean(data, initial)
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(_("A file of at most 10 MB is wanted."))
        try:
            text: str = file.read().decode()
        except UnicodeDecodeError as fault:
            raise forms.ValidationError(_("This file is no table in UTF-8.")) from fault
        if "\0" in text:
            raise forms.ValidationError(_("This file is no table in UTF-8."))
        return text.replace("\r\n", "\n").replace("\r", "\n")


class RegisterForm(forms.Form):
    """The whole register, and when it stood so."""

    file = TableField(label=_("File"), help_text=_("UTF-8; first line identity_number;until, then a person a line."))
    as_of = forms.DateTimeField(
        label=_("As of (Minsk time)"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )


class ShrunkenForm(forms.Form):
    """The file that was refused, and why it is right."""

    file = TableField(label=_("The file that was refused"))
    reason = forms.CharField(label=_("Why it is right"), max_length=200)


class ApproveShrunkenForm(forms.Form):
    """The very file that another person has proposed."""

    file = TableField(label=_("The very file"), help_text=_("The file itself is not kept: give it once more."))


class ForwardedForm(forms.Form):
    """Under which reference a self-exclusion was sent on; it is named by a hidden field."""

    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    reference = forms.CharField(label=_("Reference of the message"), max_length=200)


class InsiderForm(forms.Form):
    """Who may not play, and why."""

    identity_number = forms.CharField(
        label=_("Identity number"),
        max_length=40,
        help_text=_("Only a digest of it is kept."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    kind = forms.ChoiceField(label=_("Who it is"), choices=[("", ""), *InsiderKind.choices])
    username = forms.CharField(
        label=_("Log-in name"), max_length=150, required=False, help_text=_("Their own, where they have one.")
    )


class EndInsiderForm(forms.Form):
    """Why somebody is taken off the list; the entry is named by a hidden field."""

    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    reason = forms.CharField(label=_("Reason"), max_length=200)


class OpinionForm(forms.Form):
    """What the first person thinks of a case."""

    opinion = forms.CharField(label=_("Opinion"), max_length=4_000, widget=forms.Textarea(attrs={"rows": 5}))


class CaseDecisionForm(forms.Form):
    """What the second person decides, and why."""

    to = forms.ChoiceField(
        label=_("What to do"),
        choices=[
            ("", ""),
            (CaseState.REPORTED, _("Report it to the authority")),
            (CaseState.CLOSED, _("Close it: nothing suspicious")),
        ],
    )
    decision = forms.CharField(label=_("Reason"), max_length=4_000, widget=forms.Textarea(attrs={"rows": 5}))

"""What a member of the commission writes besides the result: evidence, a conflict, a dissent, a correction (¶10)."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pools.forms.local_time import LocalDateTimeField
from pools.forms.result import PassphraseForm, ResultForm
from pools.models import CommissionKey
from totalizator.core.names import localized
from totalizator.engine.terms import Terms


class EvidenceForm(forms.Form):
    """One file that a result is known from (H4)."""

    condition = forms.ChoiceField(label=_("What it is about"), required=False)
    source = forms.CharField(
        label=_("Source"), max_length=200, help_text=_("Who says so: a federation, a broadcaster.")
    )
    address = forms.CharField(label=_("Address"), max_length=500, required=False)
    captured_at = LocalDateTimeField(label=_("Captured"), with_seconds=True)
    file = forms.FileField(label=_("File"), help_text=_("PDF, JPEG, PNG or text, 10 MB at most."))

    def __init__(self, terms: Terms, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        known = [(condition.code, localized(condition.name)) for condition in terms.conditions]
        self.fields["condition"] = forms.ChoiceField(
            label=_("What it is about"), choices=[("", _("the whole event")), *known], required=False
        )


class ConflictForm(forms.Form):
    """Why a member must not decide."""

    reason = forms.CharField(label=_("Reason"), max_length=500)


class DissentForm(PassphraseForm):
    """Why a member disagrees."""

    words = forms.CharField(label=_("Why you disagree"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 6}))
    read = forms.CharField(widget=forms.HiddenInput, max_length=71)
    field_order = ("words", "passphrase", "read")


class SigningForm(PassphraseForm):
    """Signing the very document that was read."""

    read = forms.CharField(widget=forms.HiddenInput, max_length=71)


class CorrectionForm(ResultForm):
    """What the result should have been, and which paper says so (H5)."""

    reason = forms.CharField(label=_("What was wrong"), max_length=500)
    document = forms.CharField(label=_("Document that says so"), max_length=200)


class KeyProposalForm(forms.Form):
    """Which key should be revoked, and why."""

    key_id = forms.ChoiceField(label=_("Key"))
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(self, keys: Sequence[CommissionKey], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        shown = [(key.key_id, f"{key.member.get_full_name() or key.member.username}, {key.key_id}") for key in keys]
        self.fields["key_id"] = forms.ChoiceField(label=_("Key"), choices=[("", _("choose a key")), *shown])


class KeyFilterForm(forms.Form):
    """Which of the commission's keys are listed."""

    state = forms.ChoiceField(
        label=_("State"), choices=[("", _("all")), ("force", _("in force")), ("revoked", _("revoked"))], required=False
    )
    words = forms.CharField(label=_("Member or key"), max_length=100, required=False)

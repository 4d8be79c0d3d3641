"""The organizer's smaller forms."""

from django import forms
from django.utils.translation import gettext_lazy as _

from pools.forms.local_time import LocalDateTimeField


class CancellationForm(forms.Form):
    """Why a pool should be cancelled, and the paper that says so (¶32)."""

    reason = forms.CharField(label=_("Reason"), widget=forms.Textarea(attrs={"rows": 3}), max_length=2_000)
    document = forms.CharField(label=_("Document"), help_text=_("Its name, number and date."), max_length=200)


class AbandonmentForm(forms.Form):
    """Why a correcting protocol should be given up (H5)."""

    reason = forms.CharField(label=_("Reason"), widget=forms.Textarea(attrs={"rows": 3}), max_length=500)


class RulesForm(forms.Form):
    """A version of the rules text (A3)."""

    text = forms.CharField(
        label=_("Text of the rules"), widget=forms.Textarea(attrs={"rows": 20}), max_length=1_000_000
    )
    valid_from = LocalDateTimeField(label=_("In force from"))


class FilingForm(forms.Form):
    """That a version of the rules was filed with the regulator."""

    version = forms.CharField(widget=forms.HiddenInput, max_length=71)
    filing = forms.CharField(label=_("Number and date of the filing"), max_length=200)

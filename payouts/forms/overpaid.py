"""What one of the staff proposes about a case of what was overpaid."""

from django import forms
from django.utils.translation import gettext_lazy as _


class OverpaidForm(forms.Form):
    """Reclaim or waive, why, and the paper that says so; the case is named by hidden fields."""

    ticket = forms.CharField(max_length=40, widget=forms.HiddenInput)
    kind = forms.CharField(max_length=10, widget=forms.HiddenInput)
    reclaim = forms.TypedChoiceField(
        label=_("What to do"),
        choices=[("no", _("Waive it")), ("yes", _("Ask it back"))],
        coerce=lambda value: value == "yes",
    )
    reason = forms.CharField(label=_("Reason"), max_length=1_000)
    document = forms.CharField(label=_("Document"), help_text=_("Its name, number and date."), max_length=200)

"""What the staff write when they propose a person's role, or code to be put in service."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Role


class RoleForm(forms.Form):
    """Which role a person gets, and why (R1)."""

    role = forms.TypedChoiceField(label=_("Role"), choices=[("", ""), *Role.choices], coerce=Role)
    reason = forms.CharField(label=_("Reason"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 3}))


class ChangeForm(forms.Form):
    """Which code is to be put in service, what changes, and which tests it passed (R4)."""

    code = forms.CharField(
        label=_("Digest of the code"),
        max_length=71,
        help_text=_("As the tests printed it: sha256:…"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    notice = forms.CharField(
        label=_("What changes, and who was told of it when"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    evidence = forms.CharField(
        label=_("Which tests of exactly this code passed, and where that is kept"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )

"""Drafting a pool from a whole terms document (A1); in steps: `sketching`."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from totalizator.core.engine_words import explain
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError


class TermsDocumentForm(forms.Form):
    """A terms.json document, as it will be published."""

    document = forms.CharField(
        label=_("Terms document"),
        widget=forms.Textarea(attrs={"rows": 30, "spellcheck": "false"}),
        help_text=_("JSON. Money in kopecks, shares as fractions, times in UTC."),
        max_length=1_000_000,
    )

    def clean_document(self) -> dict[str, Any]:
        """Read the JSON strictly."""
        try:
            document = parse_json(self.cleaned_data["document"].encode(), where="terms.json")
        except EngineError as fault:
            raise ValidationError(explain(fault)) from fault
        if not isinstance(document, dict):
            raise ValidationError(_("A terms document is one JSON object."))
        return document

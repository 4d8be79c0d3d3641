"""Amounts in BYN in forms."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from totalizator.core.errors import DomainError
from totalizator.core.money import parse_byn


class AmountField(forms.CharField):
    """An amount in BYN as people type it; its value is kopecks."""

    def clean(self, value: Any) -> Any:
        """Return kopecks, or None when it is left empty."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_byn(text)
        except DomainError as refusal:
            raise ValidationError(str(refusal.message)) from refusal

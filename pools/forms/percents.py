"""Shares as people write them, in per cent; kept as exact fractions."""

import re
from fractions import Fraction
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

_PERCENT = re.compile(r"(\d{1,3})(?:[.,](\d{1,6}))?")
_FRACTION = re.compile(r"\d{1,6}/[1-9]\d{0,5}")


def percent_text(share: Fraction) -> str:
    """Write a share as the field takes it: `33.5`, or as a fraction where no six decimals are exact."""
    millionths = share * 100 * 10**6
    if millionths.denominator != 1:
        return str(share)
    whole, rest = divmod(millionths.numerator, 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


class PercentField(forms.CharField):
    """A percentage from 0 to 100, or a fraction such as 1/3; its value is the share."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(max_length=20, widget=widget, **options)

    def clean(self, value: Any) -> Any:
        """Return the share, or None when it is left empty."""
        text = super().clean(value).replace("%", "").replace("\u00a0", "").replace(" ", "")
        if not text:
            return None
        share: Fraction | None = None
        if _FRACTION.fullmatch(text) and text.isascii():
            share = Fraction(text)
        elif (found := _PERCENT.fullmatch(text)) is not None and text.isascii():
            decimals = found.group(2) or ""
            share = Fraction(int(found.group(1) + decimals), 100 * 10 ** len(decimals))
        if share is None or share > 1:
            raise ValidationError(_("Give a percentage from 0 to 100, such as 25 or 12.5, or a fraction such as 1/3."))
        return share

"""Legal days in forms."""

from typing import Any

from django import forms


class DayField(forms.DateField):
    """A legal day, chosen or typed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"), **options)

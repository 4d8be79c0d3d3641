"""Legal days in forms."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from totalizator.core.api.bodies import FIRST_DAY, LAST_DAY


class DayField(forms.DateField):
    """A legal day, chosen or typed: as in the API, one that some paper can have, not the end of the calendar."""

    def __init__(self, *, autocomplete: str = "", **options: Any) -> None:
        attributes = {"type": "date"} | ({"autocomplete": autocomplete} if autocomplete else {})
        super().__init__(widget=forms.DateInput(attrs=attributes, format="%Y-%m-%d"), **options)

    def to_python(self, value: Any) -> date | None:
        """Return the day; :raises ValidationError: for what is none, or is of a year that nobody means."""
        day = super().to_python(value)
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise ValidationError(_("Give a day of the years 1900 to 2199."))
        return day

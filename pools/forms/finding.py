"""What a visitor asks of the pools: which ones, in which state, of which month. All of it stands in the address."""

from datetime import date
from typing import Any

from django import forms
from django.utils.dates import MONTHS
from django.utils.translation import gettext_lazy as _

from pools.models import Game

_EVERY_GAME = [("", _("All games")), *Game.choices]


class FindForm(forms.Form):
    """Pools that can be bet on, soon will, or wait for their result."""

    q = forms.CharField(
        label=_("Name, number or team"),
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
    game = forms.ChoiceField(label=_("Game"), choices=_EVERY_GAME, required=False)
    state = forms.ChoiceField(
        label=_("State"),
        choices=[
            ("", _("Any state")),
            ("open", _("Open now")),
            ("coming", _("Opening soon")),
            ("waiting", _("Waiting for the result")),
        ],
        required=False,
    )
    soon = forms.BooleanField(label=_("Closing within 24 hours"), required=False)


class ArchiveForm(forms.Form):
    """Pools that are over, by game and by the year or month in which they ended."""

    q = FindForm.base_fields["q"]
    game = FindForm.base_fields["game"]
    year = forms.TypedChoiceField(label=_("Year"), coerce=int, empty_value=None, required=False)
    month = forms.TypedChoiceField(
        label=_("Month"),
        choices=[("", _("Whole year")), *MONTHS.items()],
        coerce=int,
        empty_value=None,
        required=False,
    )

    def __init__(self, *args: Any, first: date, last: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        years = [(str(year), str(year)) for year in range(last.year, first.year - 1, -1)]
        self.fields["year"].choices = [("", _("All years")), *years]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Refuse a month of no year."""
        asked: dict[str, Any] = super().clean() or {}
        if asked.get("month") and not asked.get("year") and "year" not in self.errors:
            self.add_error("year", _("Choose the year of the month."))
        return asked

    def days(self) -> tuple[date, date] | None:
        """Return the first day that is asked for and the first after it; None for all days."""
        year, month = self.cleaned_data.get("year"), self.cleaned_data.get("month")
        if not year:
            return None
        if not month:
            return date(year, 1, 1), date(year + 1, 1, 1)
        return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)

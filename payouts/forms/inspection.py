"""What of a report or the journal somebody wants to see (N5, N6)."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.forms.days import DayField
from payouts.queries.journal_names import actor_named, subject_named
from payouts.queries.reports.shape import ReportKind
from pools.models import Channel, Game
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day


def _filter(name: str) -> forms.Field:
    everything = [("", _("all"))]
    if name == "game":
        return forms.ChoiceField(label=_("Game"), choices=[*everything, *Game.choices], required=False)
    if name == "channel":
        return forms.ChoiceField(label=_("Channel"), choices=[*everything, *Channel.choices], required=False)
    labels = {"pool": _("Pool"), "point": _("Point")}
    return forms.CharField(label=labels.get(name, name), max_length=20, required=False)


class ReportForm(forms.Form):
    """The legal days of a report, both included, and what it is limited to."""

    first = DayField(label=_("From"))
    last = DayField(label=pgettext_lazy("a span of time", "To"))

    def __init__(self, kind: ReportKind, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters = list(kind.filters)
        self.fields |= {name: _filter(name) for name in self.filters}

    def chosen(self) -> Mapping[str, str]:
        """Return the filters that were filled in."""
        return {name: self.cleaned_data[name] for name in self.filters if self.cleaned_data[name]}


class JournalForm(forms.Form):
    """Which acts of whom upon what on which legal days; nothing filled in: all."""

    act = forms.CharField(label=_("Act"), max_length=60, required=False, widget=forms.TextInput(attrs={"list": "acts"}))
    actor = forms.CharField(
        label=_("Who"), max_length=150, required=False, help_text=_("A log-in name, or as it stands below.")
    )
    subject = forms.CharField(
        label=_("Of what"),
        max_length=120,
        required=False,
        help_text=_("A pool's code, a ticket's number, or as it stands below."),
    )
    first = DayField(label=_("From"), required=False)
    last = DayField(label=pgettext_lazy("a span of time", "To"), required=False)
    before = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=2**63 - 1)

    def chosen(self) -> Mapping[str, str | datetime | None]:
        """Return what the journal is asked for."""
        first, last = self._of("first"), self._of("last")
        return {
            "act": self.cleaned_data["act"],
            "actor": actor_named(self.cleaned_data["actor"]),
            "subject": subject_named(self.cleaned_data["subject"]),
            "since": start_of_legal_day(first) if first is not None else None,
            "until": end_of_legal_day(last) if last is not None else None,
        }

    def _of(self, name: str) -> date | None:
        day: date | None = self.cleaned_data[name]
        return day

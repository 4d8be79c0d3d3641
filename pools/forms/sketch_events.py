"""The step of a new pool that names it and lists its events, typed one a line or read from a file (A1, A5)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from pools.services.drafting import CODE
from pools.services.event_files import LANGUAGES, MOST_EVENTS, Event, name_fault, outcomes_fault

Names = Mapping[str, str]


class EventsForm(forms.Form):
    """The pool's code and names, its events and those in reserve, and the outcomes of each."""

    code = forms.CharField(
        label=_("Code of the pool"), max_length=20, help_text=_("Such as 2411-1; stands on every ticket.")
    )
    name_ru = forms.CharField(label=_("Name in Russian"), max_length=200)
    name_be = forms.CharField(label=_("Name in Belarusian"), max_length=200, required=False)
    name_en = forms.CharField(label=_("Name in English"), max_length=200, required=False)
    outcomes = forms.CharField(
        label=_("Outcomes of each event"),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "Codes with spaces between, such as 1 X 2; or one a line with its names: 1; победа; перамога; win."
        ),
    )
    events = forms.CharField(
        label=_("Events"),
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false"}),
        help_text=_("One a line: in Russian; in Belarusian; in English; its own outcomes. Only the first is needed."),
    )
    reserve = forms.CharField(
        label=_("Events in reserve"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        required=False,
        help_text=_("They wait here: until the pool is announced one can take the place of an event that falls out."),
    )

    def __init__(self, *args: Any, own_code: str = "", is_variant: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.own_code, self.is_variant = own_code, is_variant
        if own_code:
            self.fields["code"].widget.attrs["readonly"] = True

    def clean_code(self) -> str:
        """Refuse a code that tickets could not begin with, and one in use."""
        code = str(self.cleaned_data["code"]).upper()
        if self.own_code and code != self.own_code:
            raise ValidationError(_("A draft keeps its code."))
        if not CODE.fullmatch(code):
            raise ValidationError(_("A code has 1 to 20 capital Latin letters, digits and hyphens."))
        if code != self.own_code and Pool.objects.filter(code=code).exists():
            raise ValidationError(_("The code %(code)s is in use.") % {"code": code})
        return code

    def clean_outcomes(self) -> list[dict[str, Any]]:
        """Read `1 X 2`, or a line for each outcome with its names."""
        text = str(self.cleaned_data["outcomes"])
        lines = [line for line in text.splitlines() if line.strip()]
        if ";" not in text:
            lines = text.split()
        parts = [[part.strip() for part in line.split(";")] for line in lines]
        fault = outcomes_fault([part[0] for part in parts])
        if fault is not None:
            raise ValidationError(str(fault))
        return [{"code": part[0]} | ({"name": _names(part[1:])} if any(part[1:]) else {}) for part in parts]

    def clean_events(self) -> list[Event]:
        """Read the lines of the events."""
        events = read_lines(str(self.cleaned_data["events"]))
        if self.is_variant and len(events) != 1:
            raise ValidationError(_("A Variant pool has exactly one event."))
        return events

    def clean_reserve(self) -> list[Event]:
        """Read the lines of those in reserve."""
        return read_lines(str(self.cleaned_data["reserve"]))

    def clean(self) -> dict[str, Any]:
        """Give a name that is left out the Russian one; refuse an event that stands twice."""
        cleaned = super().clean() or self.cleaned_data
        known = {event.names["ru"] for event in cleaned.get("events", [])}
        twice = [event.names["ru"] for event in cleaned.get("reserve", []) if event.names["ru"] in known]
        if twice:
            self.add_error("reserve", _("“%(name)s” stands among the events already.") % {"name": twice[0]})
        return cleaned

    def document(self) -> dict[str, Any]:
        """Return the part of the terms document that this step decides."""
        given = self.cleaned_data
        return {
            "pool": {"code": given["code"], "name": _names([given[f"name_{language}"] for language in LANGUAGES])},
            "conditions": [
                {
                    "code": str(number),
                    "name": dict(event.names),
                    "outcomes": [{"code": code} for code in event.outcomes] or given["outcomes"],
                }
                for number, event in enumerate(given["events"], 1)
            ],
        }


class ReplacementForm(forms.Form):
    """Which event falls out, and which one in reserve takes its place."""

    falls_out = forms.IntegerField(label=_("Number of the event that falls out"), min_value=1, max_value=MOST_EVENTS)
    takes_place = forms.IntegerField(
        label=_("Number of the reserve event that takes its place"), min_value=1, max_value=MOST_EVENTS, initial=1
    )


def read_lines(text: str) -> list[Event]:
    """Read `Динамо – БАТЭ; Дынама – БАТЭ; Dinamo – BATE; 1 2` lines.

    :raises ValidationError: naming the line by its number.
    """
    events, known = list[Event](), set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = [" ".join(part.split()) for part in line.split(";")]
        codes = tuple(parts[3].split()) if len(parts) > 3 else ()
        faults = [name_fault(part) for part in parts[:3] if part] if parts[0] else [name_fault("")]
        faults += [outcomes_fault(list(codes))] if codes else []
        faults += [_("A line has four parts at most.")] if len(parts) > 4 else []
        faults += [_("This event stands above already.")] if parts[0] in known else []
        fault = next((fault for fault in faults if fault is not None), None)
        if fault is not None:
            raise ValidationError(_("Line %(number)s: %(fault)s") % {"number": number, "fault": fault})
        known.add(parts[0])
        events.append(Event(_names(parts[:3]), codes))
    if len(events) > MOST_EVENTS:
        raise ValidationError(_("A pool has at most %(most)s events.") % {"most": MOST_EVENTS})
    return events


def lines_of(events: Sequence[Event]) -> str:
    """Write events as the field has them."""
    return "\n".join(_line(event) for event in events)


def _line(event: Event) -> str:
    names = [event.names["ru"], event.names.get("be", ""), event.names.get("en", "")]
    if event.outcomes:
        return "; ".join([*names, " ".join(event.outcomes)])
    while names[-1] in ("", names[0]) and len(names) > 1:
        names.pop()
    return "; ".join(names)


def _names(parts: Sequence[str]) -> dict[str, str]:
    """Name something in every language; one that is left out takes the first name."""
    given = [*parts, "", "", ""]
    return {language: given[place] or given[0] for place, language in enumerate(LANGUAGES)}

"""A form field for a local date-time: the time, its zone, and, only when it occurs twice, which one (C31, C54, C55)."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.choices import CallableChoiceIterator
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError
from totalizator.core.localtime import LEGAL_ZONE, ZONES, Pass, to_instant, zone_name


def _zones() -> list[tuple[str, str]]:
    return [(name, zone_name(name)) for name in ZONES]


class LocalDateTimeWidget(forms.MultiWidget):
    """Inputs for the time, the zone, and the pass when the field has to ask for it."""

    def __init__(self, *, with_seconds: bool) -> None:
        self.with_seconds = with_seconds
        self.asks_which = False
        named = {"aria-label": _("Time")}
        # A browser's own date-time input drops seconds that are zero; to the second is therefore typed.
        time = (
            forms.TextInput(attrs={"placeholder": "05.12.2026 15:00:05", "inputmode": "numeric", "size": 20, **named})
            if with_seconds
            else forms.DateTimeInput(attrs={"type": "datetime-local", **named}, format="%Y-%m-%dT%H:%M")
        )
        zone = forms.Select(choices=CallableChoiceIterator(_zones), attrs={"aria-label": _("Time zone")})
        which = forms.Select(
            choices=[("", _("first or second?")), *Pass.choices],
            attrs={"aria-label": _("Which of the two times")},
        )
        super().__init__([time, zone, which], attrs={"class": "pair"})

    def decompress(self, value: datetime | None) -> list[Any]:
        """Show an instant in the legal zone."""
        if value is None:
            return [None, LEGAL_ZONE, ""]
        local = value.astimezone(ZoneInfo(LEGAL_ZONE))
        form = "%d.%m.%Y %H:%M:%S" if self.with_seconds else "%Y-%m-%dT%H:%M"
        return [local.strftime(form), LEGAL_ZONE, ""]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Leave out the question for the pass unless it has to be asked."""
        context = super().get_context(name, value, attrs)
        answered = isinstance(value, list) and len(value) > 2 and value[2]
        if not (self.asks_which or answered):
            del context["widget"]["subwidgets"][2]
        return context


class LocalDateTimeField(forms.MultiValueField):
    """A local date-time that becomes the exact instant in UTC."""

    widget: LocalDateTimeWidget

    def __init__(self, *, with_seconds: bool = False, **options: Any) -> None:
        self.with_seconds = with_seconds
        required = options.get("required", True)
        missing = {"incomplete": _("Give the date and the time, and their zone.")}
        parts = (
            forms.CharField(required=required, error_messages=missing),
            forms.CharField(required=required, error_messages=missing),
            forms.CharField(required=False),
        )
        super().__init__(
            fields=parts,
            widget=LocalDateTimeWidget(with_seconds=with_seconds),
            require_all_fields=False,
            **options,
        )

    def compress(self, data_list: list[str]) -> datetime | None:
        """Turn the three inputs into an instant; the fault of a time stands beside the field."""
        if not data_list or not data_list[0]:
            return None
        text, zone, which = data_list
        try:
            return to_instant(text, zone, which=which or "", field="", with_seconds=self.with_seconds)
        except DomainError as refusal:
            self.widget.asks_which = bool(refusal.details.get("occurs_twice"))
            raise ValidationError(str(refusal.message)) from refusal

"""Local date-times as people type them become exact instants, or are refused beside their field (C31, C54, C55)."""

from datetime import UTC, datetime

import pytest
from django import forms
from django.utils import translation

from pools.forms.local_time import LocalDateTimeField
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.localtime import Pass, local_text, to_instant


class ClosingForm(forms.Form):
    closes_at = LocalDateTimeField(label="Closes at")


class StartForm(forms.Form):
    started_at = LocalDateTimeField(label="Started at", with_seconds=True)


def closing_form(text: str, zone: str, which: str | None = None) -> ClosingForm:
    posted = {"closes_at_0": text, "closes_at_1": zone}
    return ClosingForm(posted if which is None else {**posted, "closes_at_2": which})


def test_c31_moscow_evening_is_stored_as_its_instant_and_shown_in_the_tills_zone() -> None:
    form = closing_form("2026-06-01T21:00", "Europe/Moscow")
    assert form.is_valid()
    closes_at = form.cleaned_data["closes_at"]
    assert closes_at == datetime(2026, 6, 1, 18, 0, tzinfo=UTC)
    with translation.override("ru"):
        assert local_text(closes_at, "Asia/Yekaterinburg") == "01.06.2026 23:00"


def test_c55_a_time_that_does_not_exist_is_a_field_error() -> None:
    form = closing_form("2026-03-29T02:30", "Europe/Berlin")
    with translation.override("en"):
        assert not form.is_valid()
        assert form.errors["closes_at"] == [
            "29.03.2026 02:30 does not exist in Europe/Berlin: clocks are put forward over it."
        ]


def test_c55_a_time_that_occurs_twice_is_asked_about() -> None:
    form = closing_form("2026-10-25T02:30", "Europe/Berlin")
    assert not form.is_valid()
    assert "closes_at_2" in form.as_p()
    assert "closes_at_2" not in closing_form("2026-10-25T12:30", "Europe/Berlin").as_p()


@pytest.mark.parametrize(("which", "hour"), [(Pass.FIRST, 0), (Pass.SECOND, 1)])
def test_c54_c55_each_of_the_two_times_is_its_own_instant(which: Pass, hour: int) -> None:
    form = closing_form("2026-10-25T02:30", "Europe/Berlin", which)
    assert form.is_valid()
    assert form.cleaned_data["closes_at"] == datetime(2026, 10, 25, hour, 30, tzinfo=UTC)


def test_the_pass_is_ignored_where_a_time_occurs_once() -> None:
    form = closing_form("2026-06-01T21:00", "Europe/Moscow", Pass.SECOND)
    assert form.is_valid()
    assert form.cleaned_data["closes_at"] == datetime(2026, 6, 1, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01T00:00", "2026-02-30T10:00", "2026-06-01"])
def test_an_unreadable_time_is_refused(text: str) -> None:
    assert "closes_at" in closing_form(text, "Europe/Minsk").errors


def test_an_unknown_zone_is_refused() -> None:
    assert "closes_at" in closing_form("2026-06-01T21:00", "Mars/Olympus").errors


def test_a_start_without_seconds_is_refused() -> None:
    assert "started_at" in StartForm({"started_at_0": "05.12.2026 15:00", "started_at_1": "Europe/Minsk"}).errors
    form = StartForm({"started_at_0": "05.12.2026 15:00:05", "started_at_1": "Europe/Minsk"})
    assert form.is_valid()
    assert form.cleaned_data["started_at"] == datetime(2026, 12, 5, 12, 0, 5, tzinfo=UTC)


def test_a_refusal_names_its_field() -> None:
    with pytest.raises(DomainError) as refused:
        to_instant("2026-03-29T02:30", "Europe/Berlin", field="closes_at")
    assert (refused.value.code, refused.value.field) == (Refusal.BAD_VALUE, "closes_at")


@pytest.mark.parametrize("text", ["0001-01-01T00:00", "1999-12-31T23:59", "2200-01-01T00:00", "9999-12-31T23:59"])
@pytest.mark.parametrize("zone", ["Europe/Minsk", "Europe/Lisbon"])
def test_a_year_that_nobody_means_is_a_field_error(text: str, zone: str) -> None:
    form = closing_form(text, zone)
    with translation.override("en"):
        assert not form.is_valid()
        assert form.errors["closes_at"] == ["Give a date and time, such as 05.12.2026 15:00."]

"""Days that are typed into forms and addresses: of years that can be meant, and of no text that cannot be kept."""

from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.urls import get_resolver

from accounts.forms.days import DayField
from accounts.models import CardBatch, Role
from tests.functional.browsing import english, text_of, visitor
from tests.functional.calling import Caller, told
from tests.making import make_user

OF_DJANGO = ("django.", "allauth.", "unfold.")
ENDS_OF_THE_CALENDAR = ("0001-01-01", "1899-12-31", "2200-01-01", "9999-12-31")


def classes_of(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from classes_of(one)


def test_every_day_of_a_form_is_of_a_year_that_can_be_meant() -> None:
    assert get_resolver().url_patterns  # every form has been made by now
    ours = [form for form in classes_of(forms.BaseForm) if not form.__module__.startswith(OF_DJANGO)]
    days = {
        f"{form.__name__}.{name}": type(field)
        for form in ours
        for name, field in form.base_fields.items()
        if isinstance(field, forms.DateField)
    }
    assert len(days) > 10
    assert {name: kind for name, kind in days.items() if kind is not DayField} == {}
    for day in ENDS_OF_THE_CALENDAR:
        with english(), pytest.raises(forms.ValidationError, match="of the years 1900 to 2199"):
            DayField().clean(day)


@pytest.mark.django_db
@pytest.mark.parametrize("day", ENDS_OF_THE_CALENDAR)
def test_the_ends_of_the_calendar_are_refused_at_their_field(day: str) -> None:
    inspector, staff = visitor(make_user(Role.REGULATOR)), visitor(make_user(Role.ORGANIZER))
    for path in ("/reports/sales/", "/reports/insiders/", "/journal/"):
        answer = inspector.get(path, {"first": day, "last": day})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["first", "last"]), path
        assert "Give a day of the years 1900 to 2199." in text_of(answer)
    batch = {"series": "AB", "quantity": "1", "face_value": "10.00", "valid_until": day}
    assert "Give a day of the years 1900 to 2199." in text_of(staff.post("/desk/cards/batches/new/", batch))
    assert not CardBatch.objects.exists()


@pytest.mark.django_db
def test_what_holds_a_nul_is_not_looked_for_and_is_no_fault_of_ours() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    for path in ("/desk/terminals/?q=%00", "/desk/shifts/?point=a%00b", "/desk/paper-registers/?point=%00"):
        assert staff.get(path).status_code == 400, path
    assert told(Caller().get("pools/?code=%00")) == (400, "bad_value")
    assert staff.get("/desk/terminals/?q=%2500").status_code == 200  # who looks for the letters %00 finds nothing

"""An act behind a form or a button of a page: it is done, or why not is said where the person looks."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal, told

RowForm = TypeVar("RowForm", bound=BaseForm)


def done_by_form(form: BaseForm, act: Callable[..., object]) -> bool:
    """Do `act` with what a sent and valid form says, by the names of its fields; tell whether it was done.

    A refusal is shown in the form, beside the field at fault.
    """
    if not (form.is_bound and form.is_valid()):
        return False
    try:
        act(**form.cleaned_data)
    except DomainError as refusal:
        add_refusal(form, refusal)
        return False
    return True


def is_of_row(form: BaseForm | None, number: int) -> bool:
    """Tell whether a sent form is that of the row with this number, which it names in its field `number`."""
    return form is not None and form.data.get("number") == str(number)


def form_of_row(kind: type[RowForm], number: int, asked: RowForm | None) -> RowForm:
    """Return the form that stands in a row of a list: the one that was `asked` and refused, or an empty one."""
    if asked is not None and is_of_row(asked, number):
        return asked
    return kind(initial={"number": number}, auto_id=f"id_{number}_%s")


def do_by_button(request: HttpRequest, act: Callable[[], object], *, said: str = "") -> None:
    """Do `act` when the button was pressed, and say on the next page that it was done, or why not."""
    if request.method != "POST":
        return
    try:
        act()
    except DomainError as refusal:
        messages.error(request, told(refusal))
    else:
        if said:
            messages.success(request, said)

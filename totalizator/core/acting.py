"""An act behind a form or a button of a page: it is done, or why not is said where the person looks."""

from collections.abc import Callable

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal, told


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

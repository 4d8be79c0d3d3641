"""A page with one form on it: what is done by it, and where that leads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from totalizator.core.acting import done_by_form


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the page says: heading, what it is about, button, where it came from, and what is said when it is done."""

    title: str
    button: str
    back: str
    """The address that it came from, and goes to when all is done."""
    back_to: str
    said: str
    about: str = ""
    warns: str = ""
    """What cannot be taken back: the button is of danger then."""


def ask(
    request: HttpRequest,
    form: BaseForm,
    act: Callable[..., object],
    question: Question,
    to: Callable[[], str] | None = None,
) -> HttpResponseBase:
    """Do `act` with what the form says, and go back, or `to` where that is told; else show the form."""
    if done_by_form(form, act):
        messages.success(request, question.said)
        return redirect(to() if to is not None else question.back)
    return show_question(request, form, question)


def show_question(request: HttpRequest, form: BaseForm, question: Question, **more: Any) -> HttpResponseBase:
    """Show the page."""
    context = {"form": form, "question": question} | more
    return render(request, "organizer/ask.html", context, status=400 if form.errors else 200)

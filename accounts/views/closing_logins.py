"""The organizer's pages that close the log-in of one of the staff, and open it again by another person (R1)."""

from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import ReasonForm
from accounts.models import User
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.closing_logins import close_login, open_login
from accounts.views.asking import Question, ask


@organizer_only
def close(request: PersonRequest, number: int) -> HttpResponseBase:
    """Close a log-in at once, and say why."""
    person = get_object_or_404(User, pk=number)
    question = Question(
        title=_("Close the log-in of %(name)s") % {"name": person.username},
        button=_("Close the log-in"),
        back=reverse("accounts:one_person", args=[number]),
        back_to=person.username,
        about=_("Another person than you can open it again. What was done under it stays."),
        said=_("The log-in is closed."),
        warns=_("From now on nobody can do anything under it, not even what is begun."),
    )
    act = partial(close_login, person=person, closed_by=request.user)
    return ask(request, ReasonForm(request.POST or None), act, question)


@organizer_only
def open_again(request: PersonRequest, number: int) -> HttpResponseBase:
    """Open a closed log-in again, and say why."""
    person = get_object_or_404(User, pk=number)
    question = Question(
        title=_("Open the log-in of %(name)s again") % {"name": person.username},
        button=_("Open it again"),
        back=reverse("accounts:one_person", args=[number]),
        back_to=person.username,
        said=_("The log-in is open again."),
    )
    act = partial(open_login, person=person, opened_by=request.user)
    return ask(request, ReasonForm(request.POST or None), act, question)

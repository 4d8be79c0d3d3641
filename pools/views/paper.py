"""The organizer's pages of paper forms: issued to points, compared with the paper, given back (¶9.10, C8)."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import ReasonForm
from accounts.permissions import PersonRequest, organizer_only
from accounts.views.asking import Question, ask
from pools.forms.paper import FindFormsForm, ReceiptOfReturnForm, RegisterForm
from pools.models import FormState, PaperForm, PaperRegister, WhyRefused
from pools.queries.paper import missing_forms
from pools.services.paper_forms import approve_form, note_form_returned, reject_form
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from pools.services.paper_registers import issue_register
from totalizator.core.acting import do_by_button
from totalizator.core.paging import kept, page_of

FORMS_A_PAGE, REGISTERS_A_PAGE, GAPS_SHOWN = 50, 25, 10


@organizer_only
def paper_forms(request: PersonRequest) -> HttpResponseBase:
    """List the forms that were entered, by number and state."""
    form, rows = FindFormsForm(request.GET), _forms().order_by("number")
    if form.is_valid():
        if form.cleaned_data["number"]:
            rows = rows.filter(number=form.cleaned_data["number"])
        if form.cleaned_data["state"]:
            rows = rows.filter(state=form.cleaned_data["state"])
    page = page_of(request, rows, FORMS_A_PAGE)
    context = {"form": form, "page": page, "keep": kept(request), "by_name": True}
    return render(request, "organizer/paper/forms.html", context, status=200 if form.is_valid() else 400)


@organizer_only
def paper_form(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a form, and what can be done with it in its state."""
    shown = get_object_or_404(_forms(), number=number)
    faulty = shown.why in (WhyRefused.MISSING, WhyRefused.UNREADABLE) and shown.register.jackpot == "sportloto"
    context = {
        "form": shown,
        "may_go_to_jackpot": shown.state == FormState.TO_RETURN and faulty,
        "person": request.user,
    }
    return render(request, "organizer/paper/form.html", context)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Make a form a bet, having compared it with the paper."""
    form = get_object_or_404(_forms(), number=number)
    do_by_button(request, partial(approve_form, number=form.number, approved_by=request.user))
    return redirect("pools:paper_form", number=number)


@organizer_only
def reject(request: PersonRequest, number: int) -> HttpResponseBase:
    """Refuse a form that is not as on the paper."""
    question = _question(
        number,
        title=_("Form %(number)s is not as on the paper") % {"number": number},
        button=_("Refuse"),
        about=_("It is no bet: its money is to be returned."),
        said=_("The form is refused."),
    )
    act = partial(reject_form, number=number, rejected_by=request.user)
    return ask(request, ReasonForm(request.POST or None), act, question)


@organizer_only
def returned(request: PersonRequest, number: int) -> HttpResponseBase:
    """Note that the money of a form was handed back."""
    question = _question(
        number,
        title=_("Money of form %(number)s was given back") % {"number": number},
        button=_("Note it"),
        about=_("The receipt stays with the form."),
        said=_("It is noted."),
    )
    act = partial(note_form_returned, number=number, returned_by=request.user)
    return ask(request, ReceiptOfReturnForm(request.POST or None), act, question)


@organizer_only
def to_jackpot(request: PersonRequest, number: int) -> HttpResponseBase:
    """Propose that the money of a faulty form goes to the jackpot."""
    question = _question(
        number,
        title=_("Money of form %(number)s to the jackpot") % {"number": number},
        button=_("Propose"),
        about=_("Only of a Sportloto form without requisites (¶17.1, ¶17.2), by two people."),
        said=_("Another person has to approve it now."),
    )
    act = partial(propose_form_to_jackpot, number=number, proposed_by=request.user)
    return ask(request, ReasonForm(request.POST or None), act, question)


@organizer_only
def approve_jackpot(request: PersonRequest, number: int) -> HttpResponseBase:
    """Book the money of a faulty form into the jackpot, as another person proposed."""
    form = get_object_or_404(_forms(), number=number)
    do_by_button(
        request,
        partial(approve_form_to_jackpot, number=form.number, approved_by=request.user),
        said=_("The money is in the jackpot."),
    )
    return redirect("pools:paper_form", number=number)


@organizer_only
def registers(request: PersonRequest) -> HttpResponseBase:
    """List the forms that were issued to points, with the numbers that were passed over."""
    code = request.GET.get("point", "").strip()[:12]
    rows = PaperRegister.objects.select_related("point", "issued_by").order_by("-issued_at", "-pk")
    if code:
        rows = rows.filter(point__code=code)
    page = page_of(request, rows, REGISTERS_A_PAGE)
    shown = [(register, missing_forms(register)) for register in page]
    context = {
        "page": page,
        "shown": [(register, gaps[:GAPS_SHOWN], len(gaps) > GAPS_SHOWN) for register, gaps in shown],
        "point": code,
        "keep": kept(request),
    }
    return render(request, "organizer/paper/registers.html", context)


@organizer_only
def issue(request: PersonRequest) -> HttpResponseBase:
    """Issue pre-numbered forms to a point."""
    question = Question(
        title=_("Issue paper forms"),
        button=_("Issue"),
        back=reverse("pools:paper_registers"),
        back_to=_("Paper forms at points"),
        about=_("No number is issued twice, 100,000 forms at most at once."),
        said=_("The forms are issued."),
    )
    form = RegisterForm(request.POST or None, initial={"point": request.GET.get("point", "")})
    return ask(request, form, partial(issue_register, issued_by=request.user), question)


def _forms() -> QuerySet[PaperForm]:
    return PaperForm.objects.select_related(
        "till__point", "pool", "entered_by", "register", "proposed_by", "approved_by"
    )


def _question(number: int, **said: Any) -> Question:
    form = get_object_or_404(_forms(), number=number)
    back = reverse("pools:paper_form", args=[form.number])
    return Question(back=back, back_to=_("Form %(number)s") % {"number": number}, **said)

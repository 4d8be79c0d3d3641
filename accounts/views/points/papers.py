"""The papers of a point, and what its bank allows (¶9.4, ¶9.6, ¶9.7)."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import AgreementForm, CashLimitForm, PaperForm
from accounts.models import BettingPoint, PointDocument
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.bank_terms import record_cash_limit, record_takings_agreement
from accounts.services.point_documents import file_document
from accounts.views.asking import Question, ask
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of

PAPERS_A_PAGE = 25


@organizer_only
def papers(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show every version of a point's papers, the latest filed first; file another."""
    point = get_object_or_404(BettingPoint, code=code)
    form = PaperForm(request.POST or None, request.FILES or None, initial={"kind": request.GET.get("kind", "")})

    def file(*, file: Any, **about: Any) -> PointDocument:
        return file_document(
            point=point, content=file.read(), original_name=str(file.name), by=request.user, **about
        )  # fmt: skip

    if done_by_form(form, file):
        messages.success(request, _("The paper is filed."))
        return redirect("payouts:point", code=code)
    rows = PointDocument.objects.filter(point=point).select_related("filed_by").order_by("-pk")
    context = {"point": point, "form": form, "page": page_of(request, rows, PAPERS_A_PAGE)}
    return render(request, "organizer/points/papers.html", context, status=400 if form.errors else 200)


@organizer_only
def cash_limit(request: PersonRequest, code: str) -> HttpResponseBase:
    """Record how much cash the bank lets a point hold."""
    point = get_object_or_404(BettingPoint, code=code)
    question = Question(
        title=_("Cash limit of point %(code)s") % {"code": code},
        button=_("Record"),
        back=reverse("payouts:point", args=[code]),
        back_to=f"{point.code} {point.name}",
        about=_("A sale in cash that would lift the point over the limit is refused (¶9.6)."),
        said=_("The limit is recorded."),
    )
    act = partial(record_cash_limit, point=point, by=request.user)
    return ask(request, CashLimitForm(request.POST or None), act, question)


@organizer_only
def agreement(request: PersonRequest, code: str) -> HttpResponseBase:
    """Record the bank's agreement that takings of a point are paid out."""
    point = get_object_or_404(BettingPoint, code=code)
    question = Question(
        title=_("Agreement of the bank for point %(code)s") % {"code": code},
        button=_("Record"),
        back=reverse("payouts:point", args=[code]),
        back_to=f"{point.code} {point.name}",
        about=_("Without an agreement in force nothing is paid out of takings (¶9.7)."),
        said=_("The agreement is recorded."),
    )
    act = partial(record_takings_agreement, point=point, by=request.user)
    return ask(request, AgreementForm(request.POST or None), act, question)


@organizer_only
def general_agreement(request: PersonRequest) -> HttpResponseBase:
    """Record the bank's agreement that takings of all points are paid out."""
    question = Question(
        title=_("Agreement of the bank for all points"),
        button=_("Record"),
        back=reverse("accounts:points"),
        back_to=_("Betting points"),
        about=_("Without an agreement in force nothing is paid out of takings (¶9.7)."),
        said=_("The agreement is recorded."),
    )
    return ask(
        request, AgreementForm(request.POST or None), partial(record_takings_agreement, by=request.user), question
    )

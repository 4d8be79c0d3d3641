"""The organizer's pages of disputes: one person considers, another answers (¶45, M1, M2)."""

from datetime import datetime
from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.deciding import AnswerForm, ConsiderForm, LetterForm
from payouts.models import OPEN_DISPUTES, Dispute, DisputeState
from payouts.queries.disputes import answer_due, answers_due
from payouts.services.disputes import answer, consider, dispute_by_letter
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

DISPUTES_A_PAGE = 50


@organizer_only
def disputes(request: PersonRequest) -> HttpResponseBase:
    """List the disputes that are not answered, or all; enter one that came by letter."""
    form = LetterForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            opened = dispute_by_letter(**form.cleaned_data, opened_by=request.user)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            return redirect("payouts:dispute", number=opened.pk)
    state, rows = request.GET.get("state", ""), Dispute.objects.select_related("pool").order_by("opened_at", "pk")
    rows = rows.filter(state=state) if state in DisputeState.values else rows.filter(state__in=OPEN_DISPUTES)
    page = page_of(request, rows, DISPUTES_A_PAGE)
    due = answers_due()
    context = {
        "form": form,
        "page": page,
        "shown": [(dispute, due.get(dispute.pk), _is_past(due.get(dispute.pk))) for dispute in page],
        "states": DisputeState.choices,
        "chosen": state,
        "now": clock.now(),
    }
    return render(request, "organizer/disputes.html", context, status=400 if form.errors else 200)


@organizer_only
def dispute(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one dispute with all that was said, and take it up or answer it: as its state has it."""
    case = get_object_or_404(Dispute.objects.select_related("pool"), pk=number)
    forms = {DisputeState.RECEIVED: ConsiderForm, DisputeState.CONSIDERED: AnswerForm}
    kind = forms.get(DisputeState(case.state))
    form = kind(request.POST or None) if kind is not None else None
    if form is not None:
        considered = partial(consider, dispute=case, considered_by=request.user)
        answered = partial(answer, dispute=case, answered_by=request.user)
        if done_by_form(form, considered if isinstance(form, ConsiderForm) else answered):
            messages.success(request, _("It is noted."))
            return redirect("payouts:dispute", number=number)
    steps = list(case.steps.select_related("taken_by").order_by("taken_at"))
    due = answer_due(case)
    context = {
        "case": case,
        "form": form,
        "steps": steps,
        "due": due,
        "documents": case.documents.order_by("pk"),
        "is_late": case.state in OPEN_DISPUTES and _is_past(due),
        "considered_by_me": any(
            step.state == DisputeState.CONSIDERED and step.taken_by_id == request.user.pk for step in steps
        ),
    }
    return render(request, "organizer/dispute.html", context, status=400 if form is not None and form.errors else 200)


def _is_past(due: datetime | None) -> bool:
    return due is not None and due <= clock.now()

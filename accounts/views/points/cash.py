"""Cash of the cash desk and on its way: given by one person, counted and received by another (¶9.5-9.7, C3)."""

import secrets
from functools import partial

from django.contrib import messages
from django.db.models import QuerySet, Sum
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.cash_on_its_way import GivingForm, ReceivingForm
from accounts.ledger.kinds import AccountKind
from accounts.models import Handover, HandoverState, LedgerAccount, Route, Till
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.points import near_their_limits
from accounts.services.handover_documents import handover_pdf
from accounts.services.handovers import announce_handover, receive_handover
from accounts.views.asking import Question, ask
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.paging import kept, page_of

HANDOVERS_A_PAGE, POINTS_SHOWN = 50, 20


@organizer_only
def cash(request: PersonRequest) -> HttpResponseBase:
    """Show where the cash is, which points are near their limits, and the handovers, the latest first."""
    state = request.GET.get("state", "")
    rows = _handovers().order_by("-number")
    if state in HandoverState.values:
        rows = rows.filter(state=state)
    near = near_their_limits(clock.today())
    on_its_way = Handover.objects.filter(state=HandoverState.ANNOUNCED)
    desk = LedgerAccount.objects.filter(kind=AccountKind.CASH_DESK).first()
    context = {
        "in_desk": (desk.debits or 0) - (desk.credits or 0) if desk is not None else 0,
        "on_its_way": on_its_way.aggregate(sum=Sum("amount"))["sum"] or 0,
        "near": near[:POINTS_SHOWN],
        "page": page_of(request, rows, HANDOVERS_A_PAGE),
        "states": HandoverState.choices,
        "chosen": state,
        "keep": kept(request),
    }
    return render(request, "organizer/points/cash.html", context)


@organizer_only
def give(request: PersonRequest) -> HttpResponseBase:
    """Hand cash over from the cash desk or the bank; sent twice it is given once."""
    token, till = secrets.token_urlsafe(24), request.GET.get("till", "")
    form = GivingForm(request.POST or None, initial={"token": token, "till": till})
    question = Question(
        title=_("Send cash"),
        button=_("Send cash"),
        back=reverse("accounts:cash"),
        back_to=_("Cash on its way"),
        about=_("Count it before you type. Who receives it is another person, and counts it again."),
        said=_("The cash is on its way; another person receives it."),
    )
    given: list[Handover] = []

    def hand_over(*, route: Route, amount: int, till: Till | None, document: str, token: str) -> None:
        given.append(
            announce_handover(
                route=route,
                amount=amount,
                till=till,
                document=document,
                given_by=request.user,
                idempotency_key=token,
            )
        )

    return ask(request, form, hand_over, question, lambda: reverse("accounts:handover", args=[given[0].number]))


@organizer_only
def handover(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a handover; take it over as it was counted, where staff receive and another person gave."""
    shown = get_object_or_404(_handovers(), number=number)
    by_staff = shown.route != Route.DESK_TO_POINT
    mine = shown.given_by_id == request.user.pk
    form = None
    if shown.state == HandoverState.ANNOUNCED and by_staff and not mine:
        form = ReceivingForm(request.POST or None)
        act = partial(receive_handover, handover=shown, received_by=request.user)
        if done_by_form(form, act):
            messages.success(request, _("The cash is taken over."))
            return redirect("accounts:handover", number=number)
    context = {
        "handover": shown,
        "form": form,
        "given_by_me": mine and shown.state == HandoverState.ANNOUNCED,
        "by_staff": by_staff,
        "difference": shown.counted - shown.amount if shown.counted is not None else 0,
    }
    return render(
        request, "organizer/points/handover.html", context, status=400 if form is not None and form.errors else 200
    )


@organizer_only
def document(request: PersonRequest, number: int) -> HttpResponseBase:  # noqa: ARG001
    """Give the document of a handover as a PDF, for two signatures."""
    return HttpResponse(handover_pdf(get_object_or_404(_handovers(), number=number)), content_type="application/pdf")


def _handovers() -> QuerySet[Handover]:
    return Handover.objects.select_related("till__point", "till__ledger_account", "given_by", "received_by")

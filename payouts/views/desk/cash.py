"""Cash at the desk that is no bet: onto a player's account, to the cash desk, and from it (¶9.5, ¶35.1, C3)."""

import secrets

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.ledger.balances import balance
from accounts.models import GameAccount, Handover, HandoverState, Route, TopUp
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.account_slips import print_top_up_slip
from accounts.services.change import change_of
from accounts.services.handover_documents import handover_pdf
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.shifts import open_shift_of
from accounts.services.topups import top_up_in_cash
from payouts.forms.desk import HandoverForm, ReceiptForm, TopUpForm, TopUpReadBackForm
from payouts.views.desk.frame import no_shift, show_desk, show_refused, till_of
from payouts.views.desk.printing import print_slip_here
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import was_answered
from totalizator.core.money import format_byn, plain_byn
from totalizator.core.problem import add_refusal


@cashier_only
def top_up(request: PersonRequest) -> HttpResponseBase:
    """Take cash onto a player's account: typed, read back, taken once however often the form comes."""
    if open_shift_of(till_of(request)) is None:
        return show_refused(request, no_shift())
    read_back = "token" in request.POST
    form = TopUpReadBackForm(request.POST) if read_back else TopUpForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return _top_up_page(request, form, status=400 if form.is_bound else 200, read_back=read_back)
    account = _account_named(form.cleaned_data["username"])
    if account is None:
        add_refusal(form, DomainError(Refusal.NOT_FOUND, _("No player has this name."), field="username"))
        return _top_up_page(request, TopUpForm(request.POST), status=404, why=_("No player has this name."))
    amount = form.cleaned_data["amount"]
    if not read_back:
        told = {"username": account.player.username, "amount": plain_byn(amount), "token": secrets.token_urlsafe(24)}
        return _top_up_page(request, TopUpReadBackForm(initial=told), read_back=True, account=account, amount=amount)
    token = form.cleaned_data["token"]
    replayed = was_answered(scope=f"till:{till_of(request).pk}", key=token)
    try:
        change = change_of(form.cleaned_data["given"], amount)
        taken = top_up_in_cash(account=account, amount=amount, cashier=request.user, idempotency_key=token)
    except DomainError as refusal:
        if refusal.field != "given":
            return show_refused(request, refusal)
        add_refusal(form, refusal)
        return _top_up_page(request, form, status=400, read_back=True, account=account, amount=amount)
    context = {"account": account, "top_up": taken, "given": form.cleaned_data["given"], "change": change}
    return show_desk(request, "cashier/topped_up.html", answer=200 if replayed else 201, **context, replayed=replayed)


@cashier_only
def top_up_receipt(request: PersonRequest, number: int) -> HttpResponseBase:
    """Print the receipt of a top-up at this till; printed again it is a copy (¶35.1)."""
    if request.method != "POST":
        return redirect("payouts:till_top_up")
    here = TopUp.objects.select_related("till__point", "rate").filter(till=till_of(request))
    paid_in = get_object_or_404(here, pk=number)
    return print_slip_here(
        request,
        lambda draw: print_top_up_slip(top_up=paid_in, asked_by=request.user, draw=draw),
        name=f"top-up-{paid_in.pk}",
    )


@cashier_only
def handover(request: PersonRequest) -> HttpResponseBase:
    """Hand cash over to the cash desk, and see what is on its way from it (¶9.5)."""
    form = HandoverForm(request.POST or None, initial={"token": secrets.token_urlsafe(24)})
    if not form.is_bound or not form.is_valid():
        return _handover_page(request, form, status=400 if form.is_bound else 200)
    replayed = was_answered(scope=f"handovers:{request.user.pk}", key=form.cleaned_data["token"])
    try:
        given = announce_handover(
            route=Route.POINT_TO_DESK,
            amount=form.cleaned_data["amount"],
            given_by=request.user,
            till=till_of(request),
            idempotency_key=form.cleaned_data["token"],
        )
    except DomainError as refused:
        refusal = _more_than_there_is(request) if refused.code == Refusal.INSUFFICIENT_FUNDS else refused
        if refusal.field != "amount":
            return show_refused(request, refusal)
        add_refusal(form, refusal)
        return _handover_page(request, form, status=refusal.http_status)
    return show_desk(
        request, "cashier/handed_over.html", answer=200 if replayed else 201, handover=given, replayed=replayed
    )


@cashier_only
def receive(request: PersonRequest, number: int) -> HttpResponseBase:
    """Take over cash that has come from the cash desk, as it was counted."""
    if request.method != "POST":
        return redirect("payouts:till_handover")
    here = _of_the_till(request).filter(route=Route.DESK_TO_POINT)
    coming, form = get_object_or_404(here, number=number), ReceiptForm(request.POST)
    status = 400
    if form.is_valid():
        counted = form.cleaned_data["counted"]
        replayed = coming.received_by_id == request.user.pk and coming.counted == counted
        try:
            if not replayed:
                coming = receive_handover(
                    handover=coming, counted=counted, received_by=request.user, reason=form.cleaned_data["reason"]
                )
            return show_desk(request, "cashier/handed_over.html", handover=coming, replayed=replayed)
        except DomainError as refusal:
            if refusal.field not in form.fields:
                return show_refused(request, refusal)
            add_refusal(form, refusal)
            status = refusal.http_status
    empty = HandoverForm(initial={"token": secrets.token_urlsafe(24)})
    return _handover_page(request, empty, status=status, faulty={coming.number: form})


@cashier_only
def handover_document(request: PersonRequest, number: int) -> HttpResponseBase:
    """Print the document of a handover of this till, for two signatures."""
    document = handover_pdf(get_object_or_404(_of_the_till(request), number=number))
    return HttpResponse(document, content_type="application/pdf")


def _more_than_there_is(request: PersonRequest) -> DomainError:
    held = format_byn(balance(till_of(request).ledger_account))
    said = _("The till holds %(held)s by the books: no more can be handed over. Count it again.") % {"held": held}
    return DomainError(Refusal.INSUFFICIENT_FUNDS, said, field="amount")


def _of_the_till(request: PersonRequest) -> QuerySet[Handover]:
    rows = Handover.objects.select_related("till__point", "till__ledger_account", "given_by", "received_by")
    return rows.filter(till=till_of(request))


def _account_named(username: str) -> GameAccount | None:
    accounts = GameAccount.objects.select_related("ledger_account", "player__person")
    return accounts.filter(player__username=username).first()


def _top_up_page(
    request: PersonRequest, form: TopUpForm, *, status: int = 200, read_back: bool = False, **more: object
) -> HttpResponseBase:
    return show_desk(request, "cashier/top_up.html", answer=status, form=form, read_back=read_back, **more)


def _handover_page(
    request: PersonRequest,
    form: HandoverForm,
    *,
    status: int = 200,
    faulty: dict[int, ReceiptForm] | None = None,
) -> HttpResponseBase:
    waiting = _of_the_till(request).filter(route=Route.DESK_TO_POINT, state=HandoverState.ANNOUNCED).order_by("number")
    faulty = faulty or {}
    coming = [(one, faulty.get(one.number, ReceiptForm(auto_id=f"id_{one.number}_%s"))) for one in waiting]
    return show_desk(request, "cashier/handover.html", answer=status, form=form, coming=coming)

"""Comparing what a ticket shows with the register, where the paper is doubted (¶13, M2)."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import CompareForm
from payouts.forms.tickets import TicketForm
from payouts.queries.tickets import find_ticket
from payouts.services.disputes import compare_ticket, difference_from_register
from payouts.services.ticket_scans import guess_slowly
from payouts.views.desk.checking import show_again
from payouts.views.desk.frame import show_desk, show_refused
from pools.services.desk_coupons import typed_coupon
from totalizator.core.errors import DomainError
from totalizator.core.problem import told


@cashier_only
def compare(request: PersonRequest) -> HttpResponseBase:
    """Say whether coupon and stake are as registered. What differs is shown first, and a case only once it is sure."""
    form, printed = TicketForm(request.POST or None), CompareForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    try:
        bet = guess_slowly(ticket, request.user, lambda: find_ticket(ticket, code))
        if not printed.is_valid():
            return show_again(request, ticket, code, token, answer=400, compare_form=printed)
        try:
            selections = typed_coupon(bet.pool, printed.cleaned_data["coupon"]).selections
        except DomainError as refusal:
            printed.add_error("coupon", told(refusal))
            return show_again(request, ticket, code, token, answer=400, compare_form=printed)
        stake = printed.cleaned_data["stake"]
        differs = difference_from_register(bet, selections=selections, stake=stake)
        if differs is None:
            return show_again(request, ticket, code, token, agrees=True)
        if "sure" not in request.POST:
            again = {name: str(printed.data.get(name, "")) for name in printed.fields}
            again |= {"ticket": bet.ticket, "check_code": code, "token": token}
            return show_desk(request, "cashier/differs.html", differs=differs, pool=bet.pool, again=again)
        case = compare_ticket(
            ticket=ticket, check_code=code, selections=selections, stake=stake, compared_by=request.user
        )
    except DomainError as refusal:
        return show_refused(request, refusal)
    return show_desk(request, "cashier/disputed.html", answer=201, dispute=case)

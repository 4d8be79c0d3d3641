"""The desk itself, and its one field: whatever is scanned or typed there finds its way (¶9, ¶13, C5, C7)."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.permissions import PersonRequest, cashier_only
from accounts.services.shifts import open_shift_of
from payouts.forms.desk import FieldForm
from payouts.services.desk_field import CardRead, FieldKind, FieldRead, PoolRead, TicketRead, kind_of, read_field
from payouts.views.desk.cards import show_card
from payouts.views.desk.checking import ask_code, show_check
from payouts.views.desk.frame import (
    choose_pool,
    chosen_pool,
    no_shift,
    pools_on_sale,
    sale_before,
    show_desk,
    show_refused,
    till_of,
)
from payouts.views.desk.selling import show_card_pays, show_read_back
from pools.services.desk_coupons import TypedBet
from totalizator.core.errors import DomainError
from totalizator.core.problem import told


@cashier_only
def till(request: PersonRequest) -> HttpResponseBase:
    """Show the desk: the till's cash, the shift, the field, the pools on sale."""
    return show_desk(request, "cashier/till.html", sale_before=sale_before(request))


@cashier_only
def field(request: PersonRequest) -> HttpResponseBase:
    """Read the field: a ticket is checked, a coupon is read back, a card is shown, a pool is chosen."""
    form = FieldForm(request.POST or None)
    if not form.is_valid():
        return redirect("payouts:till")
    on_sale = pools_on_sale()
    if request.POST.get("pool") in [pool.code for pool in on_sale]:
        choose_pool(request, request.POST["pool"])
    chosen = chosen_pool(request, on_sale)
    typed = form.cleaned_data["scan"]
    try:
        read = read_field(typed, on_sale=on_sale, chosen=chosen)
    except DomainError as refusal:
        kind = kind_of(typed, chosen)
        if kind == FieldKind.COUPON and open_shift_of(till_of(request)) is None:
            return show_refused(request, no_shift())
        return show_refused(request, refusal, why=f"{kind.label}. {told(refusal)}", typed=typed)
    if isinstance(read, CardRead | TypedBet) and open_shift_of(till_of(request)) is None:
        return show_refused(request, no_shift())
    return _answered(request, read)


def _answered(request: PersonRequest, read: FieldRead) -> HttpResponseBase:
    if isinstance(read, TicketRead):
        if not read.check_code:
            return ask_code(request, read.ticket)
        return show_check(request, read.ticket, read.check_code)
    if isinstance(read, CardRead):
        if "carried_token" in request.POST:
            return show_card_pays(request, read.number)
        return show_card(request, read.number)
    if isinstance(read, PoolRead):
        choose_pool(request, read.pool.code)
        return redirect("payouts:till")
    return show_read_back(request, read)

"""The desk itself, and its one field: whatever is scanned or typed there finds its way (¶9, ¶13, C5, C7)."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import FieldForm
from payouts.services.desk_field import CardRead, FieldRead, PoolRead, TicketRead, read_field
from payouts.views.desk.cards import show_card
from payouts.views.desk.checking import ask_code, show_check
from payouts.views.desk.frame import choose_pool, chosen_pool, pools_on_sale, show_desk, show_refused
from payouts.views.desk.selling import show_card_pays, show_read_back
from totalizator.core.errors import DomainError


@cashier_only
def till(request: PersonRequest) -> HttpResponseBase:
    """Show the desk: the till's cash, the shift, the field, the pools on sale."""
    return show_desk(request, "cashier/till.html")


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
    try:
        read = read_field(form.cleaned_data["scan"], on_sale=on_sale, chosen=chosen)
    except DomainError as refusal:
        return show_refused(request, refusal)
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

"""Paper tickets bound to a player's account, and the signed wish to have what they win there (X10, ¶41)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, player_only
from accounts.services.game_accounts import open_game_account
from accounts.views.step_up import requires_step_up, step_up_address
from payouts.forms.mine import BindForm, PhoneForm, WishForm
from payouts.models import Payable, TicketOwner
from payouts.queries.ticket_owners import tickets_of, wants_credit
from payouts.queries.tickets import standing_payable
from payouts.services.phone_binding import ask_for_code
from payouts.services.ticket_owners import bind_to_account, sign_credit_wish
from payouts.views.guarding import guarded_by_code
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of
from totalizator.core.throttle import network_subject

TICKETS_A_PAGE = 25


@player_only
def my_tickets(request: PersonRequest) -> HttpResponseBase:
    """List the tickets that are bound to my account; bind one that I hold."""
    account = open_game_account(player=request.user)
    form = BindForm(request.POST or None)

    def bind(ticket: str, check_code: str, phone_code: str) -> TicketOwner:
        shown = partial(bind_to_account, account=account, ticket=ticket, check_code=check_code, phone_code=phone_code)
        return guarded_by_code(request, ticket, shown)

    if done_by_form(form, bind):
        messages.success(request, _("The ticket is bound to your account."))
        return redirect("payouts:my_tickets")
    page = page_of(request, tickets_of(account).order_by("-bound_at", "ticket"), TICKETS_A_PAGE)
    context = {
        "form": form,
        "phone": PhoneForm(),
        "page": page,
        "shown": _with_payables(list(page.object_list)),
        "wanted": wants_credit(account),
        "step_up": step_up_address(request, reverse("payouts:my_tickets")) if requires_step_up(request) else "",
    }
    return render(request, "player/tickets.html", context, status=400 if form.errors else 200)


@player_only
def ask_phone_code(request: PersonRequest) -> HttpResponseBase:
    """Send a code to the phone that a ticket is bound to; whether it is bound to this phone is not said."""
    form = PhoneForm(request.POST or None)
    if request.method != "POST":
        return redirect("payouts:my_tickets")
    if done_by_form(form, partial(ask_for_code, network=network_subject(request))):
        messages.info(request, _("If the ticket is bound to this phone, a code is on its way there."))
        return redirect("payouts:my_tickets")
    return render(request, "player/ticket_phone.html", {"form": form}, status=400)


@player_only
def wish_credit(request: PersonRequest) -> HttpResponseBase:
    """Sign, or take back, the wish that what bound tickets win is credited to my account."""
    form = WishForm(request.POST or None)
    if form.is_bound and form.is_valid():
        wanted: bool = form.cleaned_data["wanted"]
        account = open_game_account(player=request.user)
        sign = partial(sign_credit_wish, account=account, wanted=wanted, stepped_up=not requires_step_up(request))
        said = _("Winnings of your tickets go to your account.") if wanted else _("Your wish is taken back.")
        do_by_button(request, sign, said=said)
    return redirect("payouts:my_tickets")


def _with_payables(owners: list[TicketOwner]) -> list[tuple[TicketOwner, Payable | None]]:
    """Pair each ticket with what matters of all that was ever owed on it, read in one query."""
    tickets = [owner.ticket for owner in owners]
    owed: dict[str, list[Payable]] = {}
    for payable in Payable.objects.filter(pool_id__in={owner.pool_id for owner in owners}, ticket__in=tickets):
        owed.setdefault(payable.ticket, []).append(payable)
    return [(owner, standing_payable(owed.get(owner.ticket, []))) for owner in owners]

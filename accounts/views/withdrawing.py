"""A player's pages of money from the account: where it can go, what was asked for, a wish that is read back (F2)."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.forms.once import new_token
from accounts.forms.withdrawals import WishForm, WithdrawalForm
from accounts.ledger.balances import balance
from accounts.models import GameAccount, PaymentInstrument, Withdrawal, WithdrawalState
from accounts.permissions import PersonRequest, only_reads_of, player_only
from accounts.queries.ways_back import owed_to_credit_cards
from accounts.services.game_accounts import open_game_account
from accounts.services.instruments import WaysOut, instrument_wished, ways_out
from accounts.services.post import post_in_force
from accounts.services.withdrawal_rules import needs_approval, refuse_on_hold, refuse_state, refuse_wish
from accounts.services.withdrawals import cancel_withdrawal, request_withdrawal
from accounts.views.step_up import requires_step_up, step_up_address
from totalizator.core import clock
from totalizator.core.acting import do_by_button
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import was_answered
from totalizator.core.legal import legal_numbers
from totalizator.core.money import plain_byn
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal, told

WITHDRAWALS_A_PAGE = 25
WORDS: Mapping[WithdrawalState, str | Promise] = {
    WithdrawalState.REQUESTED: gettext_lazy("The organizer looks at it. You can still take it back."),
    WithdrawalState.APPROVED: gettext_lazy("It is sent shortly."),
    WithdrawalState.UNKNOWN: gettext_lazy("It was sent; the payment system has not answered yet."),
    WithdrawalState.SENT: gettext_lazy("It is on its way to you."),
    WithdrawalState.CONFIRMED: gettext_lazy("You have the money."),
    WithdrawalState.FAILED: gettext_lazy("It could not be paid; the money is back on your game account."),
    WithdrawalState.CANCELLED: gettext_lazy("The money is back on your game account."),
}


@player_only
def my_withdrawals(request: PersonRequest) -> HttpResponseBase:
    """Show where money can go and what was asked for; take a new wish, which is then read back."""
    account, at = open_game_account(player=request.user), clock.now()
    ways = ways_out(account)
    form = _form(ways, request.POST or None, at)
    if form.is_bound and form.is_valid():
        number, address = form.named()
        try:
            instrument = instrument_wished(account, number, address)
            refuse_wish(account, request.user, form.cleaned_data["amount"], instrument, at)
        except DomainError as refusal:
            _refuse(form, refusal)
        else:
            if form.cleaned_data["amount"] <= balance(account.ledger_account):
                wish = _wish(form.cleaned_data["amount"], instrument)
                return redirect(f"{reverse('accounts:new_withdrawal')}?{wish}")
            form.add_error("amount", _("There is not enough money on the game account."))
    return _page(request, account, ways, form, at)


@player_only
def new_withdrawal(request: PersonRequest) -> HttpResponseBase:
    """Read a wish back, have the player prove who it is, and take the money out of the account, once for each wish."""
    account = open_game_account(player=request.user)
    form = WishForm(request.POST if request.method == "POST" else request.GET)
    if not form.is_valid():
        return redirect("accounts:my_withdrawals")
    wish = form.cleaned_data
    instrument = get_object_or_404(PaymentInstrument, pk=wish["instrument"], account=account)
    if request.method != "POST":
        done = was_answered(scope=request.user.actor, key=wish["token"])
        return redirect("accounts:my_withdrawals") if done else _read_back(request, account, form, instrument)
    try:
        request_withdrawal(
            account=account,
            amount=wish["amount"],
            instrument=instrument,
            stepped_up=not requires_step_up(request),
            idempotency_key=wish["token"],
        )
    except DomainError as refusal:
        if refusal.code == Refusal.STEP_UP_NEEDED:
            return _read_back(request, account, form, instrument, status=400)
        at, ways = clock.now(), ways_out(account)
        again = _form(ways, {"amount": plain_byn(wish["amount"]), "instrument": str(instrument.pk)}, at)
        _refuse(again, refusal)
        return _page(request, account, ways, again, at)
    messages.success(request, _("Your withdrawal is noted; where it stands is told below."))
    return redirect("accounts:my_withdrawals")


@player_only
def take_withdrawal_back(request: PersonRequest, number: int) -> HttpResponseBase:
    """Put the money of a withdrawal that nobody has approved yet back on the account."""
    mine = Withdrawal.objects.select_related("account__player", "account__ledger_account", "instrument")
    withdrawal = get_object_or_404(mine, pk=number, account__player=request.user)
    act = partial(cancel_withdrawal, withdrawal=withdrawal, reason=_("taken back by the player"), actor=request.user)
    do_by_button(request, act, said=_("The money is back on your game account."))
    return redirect("accounts:my_withdrawals")


def _form(ways: WaysOut, posted: Mapping[str, object] | None, at: datetime) -> WithdrawalForm:
    by_post = ways.is_verified and _post_is_in_force(at)  # it asks for a document in a verified name (¶42)
    return WithdrawalForm(posted, instruments=ways.instruments, by_post=by_post)


def _post_is_in_force(at: datetime) -> bool:
    try:
        post_in_force(at)
    except DomainError:
        return False
    return True


def _wish(amount: int, instrument: PaymentInstrument) -> str:
    """Write a wish into an address; an address of the post's stays out of it."""
    return urlencode({"amount": plain_byn(amount), "instrument": str(instrument.pk), "token": new_token()})


def _refuse(form: WithdrawalForm, refusal: DomainError) -> None:
    if refusal.field == "address":
        refusal.field = "postal_address"
    add_refusal(form, refusal)


def _read_back(
    request: PersonRequest, account: GameAccount, form: WishForm, instrument: PaymentInstrument, *, status: int = 200
) -> HttpResponse:
    wish = form.cleaned_data
    told_again = {"amount": plain_byn(wish["amount"]), "instrument": str(instrument.pk), "token": str(wish["token"])}
    held = balance(account.ledger_account)
    context = {
        "form": form,
        "amount": wish["amount"],
        "instrument": instrument,
        "left": held - wish["amount"],
        "approval": needs_approval(account, wish["amount"], "", clock.now()),
        "step_up": "",
    }
    if requires_step_up(request):
        context["step_up"] = step_up_address(request, f"{request.path}?{urlencode(told_again)}")
    return render(request, "player/money/withdraw.html", context, status=status)


def _page(
    request: PersonRequest, account: GameAccount, ways: WaysOut, form: WithdrawalForm, at: datetime
) -> HttpResponse:
    mine = Withdrawal.objects.filter(account=account).select_related("instrument").order_by("-requested_at", "-pk")
    page = page_of(request, mine, WITHDRAWALS_A_PAGE)
    context = {
        "form": form,
        "balance": balance(account.ledger_account),
        "refusal": _kept_back(account, at),
        "instruments": ways.instruments,
        "verified": ways.is_verified,
        "bank_named": ways.names_bank,
        "owed": owed_to_credit_cards(account).items(),
        "approval_from": int(legal_numbers(at)["withdrawal_approval_from"]),
        "page": page,
        "shown": [(each, WORDS[WithdrawalState(each.state)]) for each in page],
        "reads_only": only_reads_of(account),
    }
    return render(request, "player/money/withdrawals.html", context, status=400 if form.errors else 200)


def _kept_back(account: GameAccount, at: datetime) -> str:
    """Say what keeps the player from withdrawing now; empty when nothing does."""
    try:
        refuse_state(account)
        refuse_on_hold(account.player, at)
    except DomainError as refusal:
        return told(refusal)
    return ""

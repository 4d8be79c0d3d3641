"""A player's pages of ending the registration: what it means, the last word, and how far it is (¶35.3, E5)."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.own_affairs import EndForm
from accounts.ledger.balances import balance
from accounts.models import OPEN_STATES, Ending, GameAccount, PaymentInstrument, Withdrawal
from accounts.permissions import PersonRequest, only_reads_of, player_only, player_though_ended
from accounts.services.ending import end_registration
from accounts.services.game_accounts import open_game_account
from accounts.services.instruments import bank_account_of
from accounts.views.step_up import requires_step_up, step_up_address
from payouts.queries.disputes import has_open_disputes
from payouts.queries.endings import has_open_bets
from payouts.queries.my_bets import count_in_play
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.problem import TITLES, add_refusal, told


@player_only
def ending(request: PersonRequest) -> HttpResponseBase:
    """Say what the end of the registration means, or how far it is."""
    account = open_game_account(player=request.user)
    begun = Ending.objects.filter(account=account).first()
    context = _money(account) | {
        "account": account,
        "ending": begun,
        "waits_for": TITLES[begun.waits_for] if begun is not None and begun.waits_for else "",
        "open_bets": has_open_bets(account),
        "under_way": Withdrawal.objects.filter(account=account, state__in=OPEN_STATES).select_related("instrument"),
    }
    return render(request, "player/account/ending.html", context)


@player_though_ended  # sent twice, the second one finds that it is done
def final_ending(request: PersonRequest) -> HttpResponseBase:
    """Read back what is lost, have the player prove who it is, and end the registration."""
    account = open_game_account(player=request.user)
    if only_reads_of(account):
        return redirect("payouts:my_end")
    form = EndForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            _end(request, account, form.cleaned_data["username"])
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Your registration ends. No bet and no top-up is taken any more."))
            return redirect("payouts:my_end")
    return _last_word(request, account, form)


def _end(request: PersonRequest, account: GameAccount, username: str) -> None:
    if username != request.user.username:
        raise DomainError(Refusal.BAD_VALUE, _("This is not your name."), field="username")
    if requires_step_up(request):
        raise DomainError(Refusal.STEP_UP_NEEDED, _("Show who you are once more first."))
    end_registration(account=account, asked_by=request.user)


def _last_word(request: PersonRequest, account: GameAccount, form: EndForm) -> HttpResponse:
    step_up = step_up_address(request, request.path) if requires_step_up(request) else ""
    context = _money(account) | {"form": form, "step_up": step_up}
    return render(request, "player/account/final_ending.html", context, status=400 if form.errors else 200)


def _money(account: GameAccount) -> dict[str, object]:
    """Return what is there and where it goes, and what is still open."""
    bank: PaymentInstrument | None = None
    why = ""
    try:
        bank = bank_account_of(account)
    except DomainError as refusal:
        why = told(refusal)
    return {
        "balance": balance(account.ledger_account),
        "bank": bank,
        "no_bank": why,
        "bets_in_play": count_in_play(account.player),
        "disputes": has_open_disputes(account.player),
        "days": int(legal_numbers(clock.now())["ending_days"]),
    }

"""A player's pages of money onto the account: by a payment system, a prepaid card; what came, what is begun (¶35)."""

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import HttpResponseClientRefresh

from accounts.forms.top_ups import CardTopUpForm, TopUpForm
from accounts.ledger.balances import balance
from accounts.models import Currency, DepositState, GameAccount, OwnBankAccount, ProviderDeposit, TopUp, User
from accounts.permissions import PersonRequest, player_only
from accounts.queries.standing import standing_of
from accounts.services.currencies import convert
from accounts.services.game_accounts import open_game_account
from accounts.services.limits import room_for_deposits
from accounts.services.persons import person_of
from accounts.services.provider_deposits import open_deposit, payment_page
from accounts.services.providers.known import provider_names, provider_title
from accounts.services.standing import refuse_barred
from accounts.services.topups import top_up_by_card
from accounts.services.transfer_references import ReferenceKind, TransferReference
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.money import format_byn
from totalizator.core.paging import page_of
from totalizator.core.problem import told
from totalizator.core.throttle import network_subject

TOP_UPS_A_PAGE, SHOWN_BEGUN = 25, 10
OF_THE_CARD = "card_%s"
"""Ids of the card's fields: each of the two forms of the page has an amount."""
ASKS_FOR = timedelta(hours=1)
PAY_AT = "pay_at"
"""In the session: where the deposits begun lately are paid, so that a page that is read again asks nobody."""
WORDS: Mapping[DepositState, str | Promise] = {
    DepositState.PENDING: gettext_lazy("The payment system has not said yet that it is paid."),
    DepositState.FAILED: gettext_lazy("The payment system said that it was not paid. Nothing was taken from you."),
    DepositState.SETTLED: gettext_lazy("The money is on your game account."),
    DepositState.HELD: gettext_lazy("The money came and may not be credited now: it is credited later, or given back."),
    DepositState.RETURNED: gettext_lazy("The money was given back the way it came."),
}


@player_only
def top_ups(request: PersonRequest) -> HttpResponseBase:
    """Show what came and how money can be put onto the account; begin a top-up by a payment system."""
    account = open_game_account(player=request.user)
    form = TopUpForm(request.POST or None)
    if form.is_bound and form.is_valid():
        wish = form.cleaned_data
        try:
            deposit = open_deposit(
                account=account,
                provider=wish["provider"],
                amount=wish["amount"],
                currency=Currency(wish["currency"]),
                idempotency_key=wish["token"],
            )
        except DomainError as refusal:
            form.refuse(refusal)
        else:
            return redirect("accounts:top_up", number=deposit.pk)
    return _page(request, account, form, CardTopUpForm(auto_id=OF_THE_CARD))


@player_only
def card_top_up(request: PersonRequest) -> HttpResponseBase:
    """Move money from a prepaid card onto the account, once for each form (¶35.2)."""
    account = open_game_account(player=request.user)
    form = CardTopUpForm(request.POST or None, auto_id=OF_THE_CARD)
    if not form.is_bound:
        return redirect("accounts:top_ups")
    if form.is_valid():
        card = {name: form.cleaned_data[name] for name in ("series", "number", "code", "amount")}
        subjects = [network_subject(request)]
        try:
            top_up = top_up_by_card(
                player=request.user, **card, idempotency_key=form.cleaned_data["token"], subjects=subjects
            )
        except DomainError as refusal:
            form.refuse(refusal)
        else:
            said = _("%(amount)s of the card is on your game account.") % {"amount": format_byn(top_up.amount)}
            messages.success(request, said)
            return redirect("accounts:top_ups")
    return _page(request, account, TopUpForm(), form)


@player_only
def top_up(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one top-up by a payment system: where it stands and, while it is not paid, the way to pay it.

    The open page asks by itself whether it is paid, and is then read anew: nothing moves under the reader's finger.
    """
    account = open_game_account(player=request.user)
    deposit = get_object_or_404(ProviderDeposit.objects.select_related("top_up"), pk=number, account=account)
    pending = deposit.state == DepositState.PENDING
    if request.htmx:  # type: ignore[attr-defined]
        answer: HttpResponse = HttpResponse(status=204) if pending else HttpResponseClientRefresh()
        patch_vary_headers(answer, ["HX-Request"])
        return answer
    context = {
        "deposit": deposit,
        "asks": pending and clock.now() - deposit.begun_at < ASKS_FOR,
        "title": provider_title(deposit.provider),
        "words": WORDS[DepositState(deposit.state)],
        "worth": _worth(deposit),
        "steps": [_("The amount"), _("The payment system"), _("On the account")],
        "now": 2 if pending else 3,
        "settled": deposit.state == DepositState.SETTLED,
    }
    if pending:
        try:
            context["pay_at"] = _pay_at(request, deposit)
        except DomainError as refusal:
            context["refusal"] = told(refusal)
    response = render(request, "player/money/top_up.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _page(request: PersonRequest, account: GameAccount, form: TopUpForm, card: CardTopUpForm) -> HttpResponse:
    at = clock.now()
    credited = TopUp.objects.filter(account=account).select_related("instrument").order_by("-credited_at", "-pk")
    begun = ProviderDeposit.objects.filter(account=account).exclude(state=DepositState.SETTLED).order_by("-pk")
    context = {
        "form": form,
        "card_form": card,
        "providers": provider_names(),
        "balance": balance(account.ledger_account),
        "barred": barred(request.user),
        "room": room_for_deposits(request.user, at),
        "reference": TransferReference(ReferenceKind.GAME_ACCOUNT, account.pk),
        "own_accounts": [(each, _grouped(each.iban)) for each in OwnBankAccount.objects.order_by("pk")],
        "begun": [(each, provider_title(each.provider)) for each in begun[:SHOWN_BEGUN]],
        "page": page_of(request, credited, TOP_UPS_A_PAGE),
    }
    faults = form.errors or card.errors
    return render(request, "player/money/top_ups.html", context, status=400 if faults else 200)


def _grouped(iban: str) -> str:
    """Write an IBAN as people read it, by fours."""
    return " ".join(iban[place : place + 4] for place in range(0, len(iban), 4))


def barred(player: User) -> str:
    """Say what keeps the player from paying in and from betting; empty when nothing does (P1, P2)."""
    at = clock.now()
    try:
        refuse_barred(standing_of(person_of(player), at), at)
    except DomainError as refusal:
        return told(refusal)
    return ""


def _worth(deposit: ProviderDeposit) -> int | None:
    """Return what is or would be credited, in kopecks; None without a rate."""
    if deposit.top_up is not None:
        return deposit.top_up.amount
    try:
        return convert(amount=deposit.amount, currency=Currency(deposit.currency), at=clock.now()).kopecks
    except DomainError:
        return None


def _pay_at(request: HttpRequest, deposit: ProviderDeposit) -> str:
    """Return where a deposit is paid; :raises DomainError: PROVIDER_AWAY."""
    known: dict[str, str] = request.session.get(PAY_AT, {})
    if str(deposit.pk) not in known:
        return_to = settings.SITE_URL + reverse("accounts:top_up", args=[deposit.pk])
        found = payment_page(deposit, return_to=return_to)
        known = {**dict(list(known.items())[1 - SHOWN_BEGUN :]), str(deposit.pk): found}
        request.session[PAY_AT] = known
    return known[str(deposit.pk)]

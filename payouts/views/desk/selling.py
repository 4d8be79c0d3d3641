"""Selling a coupon for cash: read back, then taken and registered, once however often the form comes (C4, C36)."""

import secrets
from collections.abc import Callable
from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.forms.persons import PersonForm, person_asked
from accounts.ledger.balances import balance
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.change import change_of
from payouts.forms.desk import SaleForm
from payouts.services.desk_field import read_card
from payouts.views.desk.frame import answer_refusal, remember_sale, show_desk, show_refused
from pools.forms.coupon import CardForm, grid
from pools.services.betting import PlacedBet, place_bet, read_coupon
from pools.services.desk_coupons import TypedBet
from pools.services.form_paying import place_by_card, refuse_paid_otherwise
from pools.services.sources import BetSource, from_card, from_till
from pools.views.reading import pool_or_404
from pools.views.tickets import hold_ticket
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn, plain_byn
from totalizator.core.problem import add_refusal
from totalizator.core.throttle import network_subject

OF_THE_CARD = (Refusal.CARD_REFUSED, Refusal.THROTTLED, Refusal.INSUFFICIENT_FUNDS)
"""What is wrong with a card, beside which it is said; the coupon can still be paid in cash."""


def show_read_back(request: PersonRequest, bet: TypedBet) -> HttpResponseBase:
    """Read a coupon back, before any money is taken."""
    form = SaleForm(
        initial={
            "pool": bet.pool.code,
            "selections": bet.coupon.selections,
            "stake": plain_byn(bet.stake),
            "token": secrets.token_urlsafe(24),
        }
    )
    return _read_back(request, bet, form)


def show_card_pays(request: PersonRequest, number: str) -> HttpResponseBase:
    """Read the coupon back once more that was before the desk when a card was scanned, with the card's number.

    The field carries the coupon; a scan that came where the customer's money is typed has it in its own form.
    """
    at = "carried_" if "carried_token" in request.POST else ""
    carried = {name: request.POST.get(f"{at}{name}", "") for name in ("pool", "selections", "stake", "token")}
    form = SaleForm(initial=carried)
    form.fields["given"].widget.attrs.pop("autofocus")
    checked = SaleForm(carried)
    if not checked.is_valid():
        return show_refused(request, checked.first_fault())
    pool, stake = pool_or_404(request, carried["pool"]), parse_byn(carried["stake"], field="stake")
    try:
        bet = TypedBet(pool, read_coupon(pool, carried["selections"], stake), stake)
    except DomainError as refusal:
        return show_refused(request, refusal)
    card_form = CardForm(initial={"number": number}, auto_id="id_card_%s")
    card_form.fields["series"].widget.attrs["autofocus"] = True
    return _read_back(request, bet, form, card_form=card_form)


@cashier_only
def sell(request: PersonRequest) -> HttpResponseBase:
    """Take the money and register the bet that was read back; sent again, the form is answered as the first time."""
    form = SaleForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till")
    scanned = read_card(request.POST.get("given", ""))
    if scanned is not None:
        return show_card_pays(request, scanned.number)
    form.is_valid()
    code = form.cleaned_data.get("pool", "")
    if set(form.errors) - {"given"}:
        return show_refused(request, form.first_fault())
    pool, asked = pool_or_404(request, code), person_asked(request.POST)
    stake = parse_byn(form.cleaned_data["stake"], field="stake")
    try:
        bet = TypedBet(pool, read_coupon(pool, form.cleaned_data["selections"], stake), stake)
    except DomainError as refusal:
        return show_refused(request, refusal)
    if form.errors:
        return _read_back(request, bet, form, status=400)
    if "by_card" in request.POST:
        return _sold_by_card(request, bet, form, CardForm(request.POST, auto_id="id_card_%s"))
    return _sold(request, bet, form, asked)


def _sold_by_card(request: PersonRequest, bet: TypedBet, form: SaleForm, card: CardForm) -> HttpResponseBase:
    """Let a prepaid card pay (¶35.2): what is wrong with it is said beside it, and nothing is registered."""
    token = form.cleaned_data["token"]
    if not card.is_valid():
        return _read_back(request, bet, form, status=400, card_form=card)
    try:
        till = from_till(request.user)
        refuse_paid_otherwise(till, token, by_card=True)
        subjects = [network_subject(request)]
        source = from_card(**card.cleaned_data, asked_by=request.user, subjects=subjects, idempotency_key=token)
        placed = _placed(partial(place_by_card, instead_of=till), bet, source, token)
    except DomainError as refusal:
        if refusal.code not in OF_THE_CARD:
            return show_refused(request, refusal)
        add_refusal(card, refusal)
        return _read_back(request, bet, form, status=refusal.http_status, card_form=card)
    return _accepted(request, bet, placed, held=hold_ticket(placed), left=balance(source.account))


def _sold(request: PersonRequest, bet: TypedBet, form: SaleForm, asked: PersonForm | None) -> HttpResponseBase:
    try:
        source = from_till(request.user, asked.person() if asked is not None else None)
        refuse_paid_otherwise(source, form.cleaned_data["token"], by_card=False)
        change = change_of(form.cleaned_data["given"], bet.stake)
        placed = _placed(place_bet, bet, source, form.cleaned_data["token"])
    except DomainError as refusal:
        return answer_refusal(request, refusal, form, asked, partial(_read_back, request, bet, form))
    paid = {"token": form.cleaned_data["token"], "given": form.cleaned_data["given"], "change": change}
    return _accepted(request, bet, placed, **paid)


def _placed(place: Callable[..., PlacedBet], bet: TypedBet, source: BetSource, token: str) -> PlacedBet:
    return place(
        pool_code=bet.pool.code,
        selections=bet.coupon.selections,
        stake=bet.stake,
        source=source,
        idempotency_key=token,
    )


def _accepted(request: PersonRequest, bet: TypedBet, placed: PlacedBet, **more: object) -> HttpResponseBase:
    if not placed.replayed:
        remember_sale(request, placed.bet.ticket, placed.bet.stake)
    context = {
        "pool": bet.pool,
        "bet": placed.bet,
        "check_code": placed.check_code,
        "replayed": placed.replayed,
        "selections": bet.coupon.selections,
    }
    return show_desk(request, "cashier/accepted.html", answer=200 if placed.replayed else 201, **(context | more))


def _read_back(
    request: PersonRequest, bet: TypedBet, form: SaleForm, *, status: int = 200, **more: object
) -> HttpResponseBase:
    context = {
        "pool": bet.pool,
        "coupon": bet.coupon,
        "stake": bet.stake,
        "each": bet.stake // bet.coupon.lines,
        "rows": grid(bet.pool.terms, bet.coupon.selections),
        "form": form,
        "card_form": CardForm(auto_id="id_card_%s"),
        "carried": {
            "pool": bet.pool.code,
            "selections": bet.coupon.selections,
            "stake": plain_byn(bet.stake),
            "token": form["token"].value(),
        },
    }
    return show_desk(request, "cashier/read_back.html", answer=status, **(context | more))

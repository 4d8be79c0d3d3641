"""Selling a coupon for cash: read back, then taken and registered, once however often the form comes (C4, C36)."""

import secrets
from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.forms.persons import PersonForm, person_asked
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.change import change_of
from payouts.forms.desk import SaleForm
from payouts.views.desk.frame import answer_refusal, remember_sale, show_desk, show_refused
from pools.forms.coupon import grid
from pools.services.betting import place_bet, read_coupon
from pools.services.desk_coupons import TypedBet
from pools.services.sources import from_till
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError
from totalizator.core.money import parse_byn, plain_byn


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


@cashier_only
def sell(request: PersonRequest) -> HttpResponseBase:
    """Take the money and register the bet that was read back; sent again, the form is answered as the first time."""
    form = SaleForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till")
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
    return _sold(request, bet, form, asked)


def _sold(request: PersonRequest, bet: TypedBet, form: SaleForm, asked: PersonForm | None) -> HttpResponseBase:
    try:
        change = change_of(form.cleaned_data["given"], bet.stake)
        placed = place_bet(
            pool_code=bet.pool.code,
            selections=bet.coupon.selections,
            stake=bet.stake,
            source=from_till(request.user, asked.person() if asked is not None else None),
            idempotency_key=form.cleaned_data["token"],
        )
    except DomainError as refusal:
        return answer_refusal(request, refusal, form, asked, partial(_read_back, request, bet, form))
    if not placed.replayed:
        remember_sale(request, placed.bet.ticket, placed.bet.stake)
    context = {
        "pool": bet.pool,
        "bet": placed.bet,
        "check_code": placed.check_code,
        "replayed": placed.replayed,
        "selections": bet.coupon.selections,
        "token": form.cleaned_data["token"],
        "given": form.cleaned_data["given"],
        "change": change,
    }
    return show_desk(request, "cashier/accepted.html", answer=200 if placed.replayed else 201, **context)


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
    }
    return show_desk(request, "cashier/read_back.html", answer=status, **(context | more))

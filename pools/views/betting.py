"""Betting on the site and at the till: mark, read back, pay, ticket. One way for both, as the rules are one."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language

from accounts.forms.persons import ask_person, person_asked
from accounts.ledger.balances import balance
from accounts.models import Person, Role
from accounts.permissions import PersonRequest, seller_only
from pools.forms.coupon import GridRow, PaymentForm, ReadCoupon, grid, read_back
from pools.models import Pool
from pools.services.betting import PlacedBet, place_bet, placed_before
from pools.services.printing import print_ticket
from pools.services.sources import BetSource, from_game_account, from_till
from pools.services.typed_coupons import random_selections
from pools.views.public import show_pool
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError
from totalizator.core.money import parse_byn
from totalizator.core.problem import told
from totalizator.engine.coupon import coupon_from_bits


def source_of(request: PersonRequest, person: Person | None = None) -> BetSource:
    """Say what pays: the cashier's till, `person` having shown a document there, or the player's game account.

    :raises DomainError: NOT_ALLOWED for a cashier without a till, a player without an account.
    """
    return from_till(request.user, person) if request.user.role == Role.CASHIER else from_game_account(request.user)


@seller_only
def quick_pick(request: PersonRequest, code: str) -> HttpResponseBase:
    """Mark a random line on the grid; nothing is bought by it (B7)."""
    pool = pool_or_404(request, code)
    return show_pool(request, pool, rows=grid(pool.terms, random_selections(pool.terms)), picked=True)


@seller_only
def read_coupon_back(request: PersonRequest, code: str) -> HttpResponseBase:
    """Read the coupon back with its lines and price, before any money is taken (B9, C4)."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    try:
        read = read_back(pool, request.POST)
    except DomainError as refusal:
        return show_pool(
            request, pool, status=400, rows=_as_marked(pool, request), refusal=told(refusal), sent=request.POST
        )
    return render(request, "pools/confirm.html", _to_confirm(request, pool, read, secrets.token_urlsafe(24)))


@seller_only
def change_coupon(request: PersonRequest, code: str) -> HttpResponseBase:
    """Go back from the coupon that was read back to the grid, with its marks kept."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    return show_pool(request, pool, rows=grid(pool.terms, request.POST.get("selections", "")), sent=request.POST)


@seller_only
def pay(request: PersonRequest, code: str) -> HttpResponseBase:
    """Place the bet that was read back, and show its ticket; for a large sum in cash ask first who pays (Q1)."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    form, asked = _payment(request), person_asked(request.POST)
    try:
        placed = _placed(place_bet, request, pool, form, asked.person() if asked is not None else None)
    except DomainError as refusal:
        asking = {"person_form": ask_person(asked, refusal), "why": told(refusal)}
        page = _to_confirm(request, pool, read_back(pool, request.POST), form.cleaned_data["token"])
        return render(request, "pools/confirm.html", page | asking, status=refusal.http_status)
    return _ticket(request, pool, placed, form)


@seller_only
def ticket_pdf(request: PersonRequest, code: str) -> HttpResponseBase:
    """Print the ticket: the same form as was paid with finds the same bet and its check code, and buys nothing."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    placed = _placed(placed_before, request, pool, _payment(request))
    document = print_ticket(placed, language=get_language() or settings.LANGUAGE_CODE)
    name = f'inline; filename="{placed.bet.ticket}.pdf"'
    return HttpResponse(document, content_type="application/pdf", headers={"Content-Disposition": name})


def _payment(request: PersonRequest) -> PaymentForm:
    """Read what the confirm page posts.

    :raises DomainError: BAD_VALUE naming the field.
    """
    form = PaymentForm(request.POST)
    if not form.is_valid():
        raise form.first_fault()
    return form


def _to_confirm(request: PersonRequest, pool: Pool, read: ReadCoupon, token: str) -> dict[str, object]:
    """Return what the page shows that reads a coupon back, with the button that pays it."""
    source = source_of(request)
    money = balance(source.account)
    return {
        "pool": pool,
        "read": read,
        "token": token,
        "balance": money,
        "in_cash": source.till is not None,
        "enough": source.till is not None or money >= read.stake,
    }


def _placed(
    act: Callable[..., PlacedBet],
    request: PersonRequest,
    pool: Pool,
    form: PaymentForm,
    person: Person | None = None,
) -> PlacedBet:
    """Place the bet, or find it again; the form's token makes it one ticket however often it is sent (C36)."""
    return act(
        pool_code=pool.code,
        selections=form.cleaned_data["selections"],
        stake=parse_byn(form.cleaned_data["stake"], field="stake"),
        source=source_of(request, person),
        idempotency_key=form.cleaned_data["token"],
    )


def _ticket(request: PersonRequest, pool: Pool, placed: PlacedBet, form: PaymentForm) -> HttpResponseBase:
    """Show the ticket in the answer itself: its check code is in no database, so no later page could show it."""
    context = {
        "pool": pool,
        "bet": placed.bet,
        "check_code": placed.check_code,
        "replayed": placed.replayed,
        "form": form,
        "rows": grid(pool.terms, coupon_from_bits(pool.terms, placed.bet.bits).selections),
        "in_cash": placed.bet.till_id is not None,
        "zone": placed.bet.till.point.time_zone if placed.bet.till else "Europe/Minsk",
    }
    return render(request, "pools/ticket.html", context, status=200 if placed.replayed else 201)


def _as_marked(pool: Pool, request: PersonRequest) -> tuple[GridRow, ...]:
    """Keep the boxes as they were marked, so that a fault costs no retyping."""
    marks = [request.POST.getlist(row.name) for row in grid(pool.terms)]
    return grid(pool.terms, ";".join("+".join(marked) for marked in marks))

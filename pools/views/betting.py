"""Betting on the site and at the till: read back, pay, ticket. One way for both, as the rules are one."""

import secrets
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt

from accounts.forms.persons import PersonForm, ask_person, person_asked
from accounts.ledger.balances import balance
from accounts.models import Person, Role
from accounts.permissions import PersonRequest, seller_only
from pools.forms.coupon import CardForm, PaymentForm, ReadCoupon, as_marked, grid, read_back
from pools.models import Pool
from pools.services.betting import PlacedBet, foreseen_refusal, place_bet, placed_before
from pools.services.form_paying import place_by_card, refuse_paid_otherwise
from pools.services.printing import print_ticket
from pools.services.sources import BetSource, from_card, from_game_account, from_till
from pools.views.logged_out import keeps_coupon, marked_address
from pools.views.public import show_pool, takes_bets
from pools.views.reading import pool_or_404
from pools.views.tickets import held_ticket, show_ticket
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import was_answered
from totalizator.core.money import parse_byn
from totalizator.core.problem import add_refusal, problem, told
from totalizator.core.throttle import network_subject

OF_THE_CARD = (Refusal.CARD_REFUSED, Refusal.THROTTLED)


# A browser shows again what a form was answered with when its reader goes back: here nothing is secret yet (C36).
comes_back = cache_control(private=True, no_cache=True)


def source_of(request: PersonRequest, person: Person | None = None) -> BetSource:
    """Say what pays: the cashier's till, `person` having shown a document there, or the player's game account.

    :raises DomainError: NOT_ALLOWED for a cashier without a till, a player without an account.
    """
    return from_till(request.user, person) if request.user.role == Role.CASHIER else from_game_account(request.user)


@csrf_exempt  # it takes nothing: a coupon that was marked before another tab logged in is not lost
@comes_back
@keeps_coupon
@seller_only
def read_coupon_back(request: PersonRequest, code: str) -> HttpResponseBase:
    """Read the coupon back with its lines and price, before any money is taken (B9, C4)."""
    pool = pool_or_404(request, code)
    asked = request.POST if request.method == "POST" else request.GET
    if request.method != "POST" and "selections" not in asked:
        return redirect("pools:pool", code=code)
    stands = _stands_already(request, pool, asked)
    if stands is not None:
        return stands
    try:
        read = read_back(pool, asked)
    except DomainError as refusal:
        rows = grid(pool.terms, as_marked(pool.terms, asked))
        return show_pool(request, pool, status=400, rows=rows, refusal=told(refusal), sent=asked)
    if not takes_bets(pool):
        return show_pool(request, pool, status=409, rows=read.rows, too_late=True)
    return render(request, "pools/confirm.html", _to_confirm(request, pool, read, _token(asked)))


@comes_back
@keeps_coupon
@seller_only
def change_coupon(request: PersonRequest, code: str) -> HttpResponseBase:
    """Go back from the coupon that was read back to the grid, with its marks kept."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    return show_pool(request, pool, rows=grid(pool.terms, request.POST.get("selections", "")), sent=request.POST)


@keeps_coupon
@seller_only
def pay(request: PersonRequest, code: str) -> HttpResponseBase:
    """Place the bet that was read back, and show its ticket; for a large sum in cash ask first who pays (Q1)."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    form, asked, card = _payment(request), person_asked(request.POST), _card(request)
    try:
        person = asked.person() if asked is not None else None
        act, source = _paying(request, form, person, card)
        placed = _placed(act, pool, form, source)
    except DomainError as refusal:
        return _not_made(request, pool, form, asked, card, refusal)
    return show_ticket(request, pool, placed, form if card is None else None)


@seller_only
def ticket_pdf(request: PersonRequest, code: str) -> HttpResponseBase:
    """Print the ticket: the same form as was paid with finds the same bet and its check code, and buys nothing."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:pool", code=code)
    placed = bet_to_print(request, pool)
    document = print_ticket(placed, language=get_language() or settings.LANGUAGE_CODE)
    name = f'inline; filename="{placed.bet.ticket}.pdf"'
    return HttpResponse(document, content_type="application/pdf", headers={"Content-Disposition": name})


def bet_to_print(request: PersonRequest, pool: Pool) -> PlacedBet:
    """Return the bet that the form of a ticket's page is about, with its check code.

    :raises DomainError: NOT_FOUND when nothing was bought with it; what `place_bet` refuses.
    """
    return held_ticket(pool, request.POST) or _placed(placed_before, pool, _payment(request), source_of(request))


def _token(asked: QueryDict) -> str:
    """Return the token of a form that a log-in came between, else a new one."""
    given = str(asked.get("token", ""))
    return given if 16 <= len(given) <= 200 else secrets.token_urlsafe(24)


def _stands_already(request: PersonRequest, pool: Pool, asked: QueryDict) -> HttpResponse | None:
    """Show the ticket of a form that was paid before the log-in ended, whatever has become of the pool since (C36).

    :raises DomainError: KEY_REUSED when a card has paid it, whose ticket only that card can show again.
    """
    form, source = PaymentForm(asked), source_of(request)
    if not form.is_valid() or not was_answered(scope=source.scope, key=form.cleaned_data["token"]):
        return None
    refuse_paid_otherwise(source, form.cleaned_data["token"], by_card=False)
    return show_ticket(request, pool, _placed(placed_before, pool, form, source), form)


def _payment(request: HttpRequest) -> PaymentForm:
    """Read what the confirm page posts.

    :raises DomainError: BAD_VALUE naming the field.
    """
    form = PaymentForm(request.POST)
    if not form.is_valid():
        raise form.first_fault()
    return form


def _card(request: PersonRequest) -> CardForm | None:
    """Return the card that is to pay, where the button of the card was pressed."""
    return CardForm(request.POST) if "by_card" in request.POST and request.user.role == Role.PLAYER else None


def _paying(
    request: PersonRequest, form: PaymentForm, person: Person | None, card: CardForm | None
) -> tuple[Callable[..., PlacedBet], BetSource]:
    """Say what pays, and how; one form is paid once, whether by card or from the account.

    :raises DomainError: KEY_REUSED; BAD_VALUE, CARD_REFUSED, THROTTLED of the card.
    """
    source, token = source_of(request, person), form.cleaned_data["token"]
    refuse_paid_otherwise(source, token, by_card=card is not None)
    if card is None:
        return place_bet, source
    if not card.is_valid():
        raise DomainError(
            Refusal.BAD_VALUE, _("Series, number and activation code of the card belong together."), field="card"
        )
    subjects = [network_subject(request)]
    paying = from_card(**card.cleaned_data, asked_by=request.user, subjects=subjects, idempotency_key=token)
    return partial(place_by_card, instead_of=source), paying


def _to_confirm(request: PersonRequest, pool: Pool, read: ReadCoupon, token: str) -> dict[str, object]:
    """Return what the page shows that reads a coupon back, with the button that pays it."""
    source = source_of(request)
    money = balance(source.account)
    refusal = _foreseen(pool, read, source, token)
    return {
        "problem": problem(refusal) if refusal is not None else None,
        "pool": pool,
        "read": read,
        "token": token,
        "balance": money,
        "in_cash": source.till is not None,
        "enough": source.till is not None or money >= read.stake,
        "card_form": CardForm() if source.till is None and refusal is None else None,
    }


def _foreseen(pool: Pool, read: ReadCoupon, source: BetSource, token: str) -> DomainError | None:
    """Return what the player would be refused the bet with; at a till the form itself asks for what is needed."""
    if source.till is not None:
        return None
    refusal = foreseen_refusal(
        pool_code=pool.code,
        selections=read.coupon.selections,
        stake=read.stake,
        source=source,
        idempotency_key=token,
    )
    return None if refusal is not None and refusal.code == Refusal.BUSY else refusal


def _not_made(
    request: PersonRequest,
    pool: Pool,
    form: PaymentForm,
    asked: PersonForm | None,
    card: CardForm | None,
    refusal: DomainError,
) -> HttpResponse:
    """Say that no bet was made and nothing taken; where something can be put right, on the page that pays."""
    page: dict[str, object] | None = None
    if card is not None and (refusal.code in OF_THE_CARD or refusal.field == "card"):
        if card.is_valid():
            add_refusal(card, refusal)
        page = {"card_form": card}
    elif card is None:
        try:
            page = {"person_form": ask_person(asked, refusal), "why": told(refusal)}
        except DomainError:
            page = None
    if page is not None:
        confirm = _to_confirm(request, pool, read_back(pool, request.POST), form.cleaned_data["token"])
        return render(request, "pools/confirm.html", confirm | page, status=refusal.http_status)
    again = marked_address(pool, form.cleaned_data["selections"]) if takes_bets(pool) else ""
    context = {"pool": pool, "problem": problem(refusal), "again": again}
    return render(request, "pools/not_made.html", context, status=refusal.http_status)


def _placed(act: Callable[..., PlacedBet], pool: Pool, form: PaymentForm, source: BetSource) -> PlacedBet:
    """Place the bet, or find it again; the form's token makes it one ticket however often it is sent (C36)."""
    return act(
        pool_code=pool.code,
        selections=form.cleaned_data["selections"],
        stake=parse_byn(form.cleaned_data["stake"], field="stake"),
        source=source,
        idempotency_key=form.cleaned_data["token"],
    )

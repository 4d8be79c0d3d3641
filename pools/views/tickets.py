"""The page of a bet just made: its ticket with QR code and check code, and what can be done with them (B3, X2)."""

import segno
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from accounts.ledger.balances import balance
from pools.forms.coupon import PaymentForm, grid
from pools.models import Bet, Channel, Pool
from pools.services.betting import PlacedBet
from pools.services.printed_tickets import qr_text
from pools.services.tickets import code_matches
from pools.views.logged_out import marked_address
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import TITLES
from totalizator.engine.coupon import coupon_from_bits

HELD = "ticket to print"


def show_ticket(request: HttpRequest, pool: Pool, placed: PlacedBet, form: PaymentForm | None) -> HttpResponse:
    """Show the ticket in the answer itself: its check code is in no database, so no later page could show it.

    `form` prints the ticket; without one, after a card has paid, the ticket and its code are signed for that.
    """
    bet = placed.bet
    selections = coupon_from_bits(pool.terms, bet.bits).selections
    context = {
        "pool": pool,
        "bet": bet,
        "check_code": placed.check_code,
        "replayed": placed.replayed,
        "form": form,
        "held": "" if form is not None else hold_ticket(placed),
        "rows": grid(pool.terms, selections),
        "in_cash": bet.till_id is not None,
        "left": _left(bet),
        "zone": bet.till.point.time_zone if bet.till else "Europe/Minsk",
        "qr": segno.make_qr(qr_text(bet, placed.check_code), error="m").svg_data_uri(border=4, light="#fff"),
        "ticket_address": settings.SITE_URL + reverse("payouts:ticket", args=[bet.ticket]),
        "coupon_address": settings.SITE_URL + marked_address(pool, selections),
    }
    return render(request, "pools/ticket.html", context, status=200 if placed.replayed else 201)


def _left(bet: Bet) -> int | None:
    """Return what is left on the game account that paid; None where nobody's account did."""
    if bet.channel != Channel.ACCOUNT or bet.player is None:
        return None
    return balance(bet.player.game_account.ledger_account)


def hold_ticket(placed: PlacedBet) -> str:
    """Return the ticket and its code, signed, for the form that prints it where no other form finds it."""
    return signing.dumps([placed.bet.ticket, placed.check_code], salt=HELD)


def held_ticket(pool: Pool, posted: QueryDict) -> PlacedBet | None:
    """Return the bet whose ticket the page after a card's payment asks to print; None where it asks otherwise.

    :raises DomainError: NOT_FOUND for what this site has not signed.
    """
    if "held" not in posted:
        return None
    try:
        ticket, code = signing.loads(str(posted["held"]), salt=HELD)
    except signing.BadSignature as fault:
        raise DomainError(Refusal.NOT_FOUND, TITLES[Refusal.NOT_FOUND]) from fault
    bet = Bet.objects.select_related("pool", "till__point").filter(pool=pool, ticket=ticket).first()
    if bet is None or not code_matches(bet.ticket, code, bet.check_hash):
        raise DomainError(Refusal.NOT_FOUND, TITLES[Refusal.NOT_FOUND])
    return PlacedBet(bet, code, replayed=True)

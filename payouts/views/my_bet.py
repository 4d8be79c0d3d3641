"""The page of one bet of a player's own: where it stands, its coupon beside the result, its proof (¶35.3, C7, X2)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.permissions import PersonRequest, player_only
from payouts.models import Dispute, Payment
from payouts.queries.ticket_owners import own_bet
from payouts.queries.tickets import TicketStanding, TicketStatus, status_of
from payouts.views.my_alive import alive_of
from pools.models import Bet, Computed, Correction, Pool, PoolState
from pools.queries.corrections import in_force
from pools.queries.past_coupons import same_outcomes
from pools.queries.provisional import known_so_far
from pools.services.bet_receipts import receipt_of
from pools.snapshots.result import protocol_of, sealed_protocol
from pools.views.logged_out import marked_address
from pools.views.marks import judged_rows
from totalizator.core import clock
from totalizator.engine.canonical import json_file
from totalizator.engine.coupon import coupon_from_bits
from totalizator.engine.result import VOID

MOST_LOOKED_AT = 20
MOST_OFFERED = 3
_ENDS: Mapping[TicketStanding, Promise] = {
    TicketStanding.NOTHING: _("Nothing won"),
    TicketStanding.PAID: _("Paid"),
    TicketStanding.EXPIRED: _("Expired"),
}
_STAGES = (
    (_("Registered"), _("Registered")),
    (_("Waits for the closing"), _("Bets closed")),
    (_("Is being played"), _("Result sealed")),
    (_("Winnings are being counted"), _("Winnings counted")),
    (_("To be paid"), _("Paid")),
)
"""What each stage is called while a bet is at it, and once it is over."""
_PLACES: Mapping[PoolState, int] = {
    PoolState.ANNOUNCED: 2,
    PoolState.OPEN: 2,
    PoolState.CLOSED: 3,
    PoolState.RESULTED: 4,
}


@player_only
def my_ticket(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Show one bet of mine; its check code was shown when it was made, and never again."""
    bet = _mine(request, ticket)
    pool, status = bet.pool, status_of(bet)
    coupon = coupon_from_bits(pool.terms, bet.bits)
    settlement = in_force(pool)
    corrected = isinstance(settlement, Correction)
    winnings = pool.corrected_winnings if corrected else pool.winnings
    steps, now = _steps(pool, status)
    fits = _pools_it_fits(bet)
    address = settings.SITE_URL + reverse("payouts:ticket", args=[bet.ticket])
    context = {
        "bet": bet,
        "pool": pool,
        "status": status,
        "steps": steps,
        "now": now,
        "rows": judged_rows(pool.terms, coupon, _told(pool, settlement)),
        "is_judged": pool.closed_at is not None,
        "alive": alive_of(bet) if pool.state == PoolState.CLOSED else None,
        "payables": status.payables,
        "payments": Payment.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket),
        "winnings": winnings.filter(ticket=bet.ticket).order_by("level"),
        "corrected": corrected,
        "disputes": Dispute.objects.filter(pool=pool, ticket=bet.ticket, opened_by=request.user).order_by("-pk"),
        "own_account": bet.player_id == request.user.pk,
        "copies": fits[:MOST_OFFERED],
        "ticket_address": address,
        "coupon_address": _address_for_others(pool, fits, coupon.selections),
    }
    return render(request, "player/bet.html", context)


@player_only
def my_receipt(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Send the receipt that proves a bet of mine off line (X2)."""
    bet = _mine(request, ticket)
    answer = HttpResponse(json_file(receipt_of(bet)), content_type="application/json; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="receipt-{bet.ticket}.json"'
    answer["Cache-Control"] = "no-store"
    return answer


def _mine(request: PersonRequest, ticket: str) -> Bet:
    bet = own_bet(request.user, ticket)
    if bet is None:
        raise Http404
    return bet


def _told(pool: Pool, settlement: Computed | None) -> Mapping[str, str | Sequence[str]]:
    """Return what is known of each condition: by the protocol once it is sealed, before that what is told so far."""
    protocol = protocol_of(settlement) if settlement is not None else sealed_protocol(pool)
    if protocol is None:
        return known_so_far(pool).told
    document = json.loads(protocol.document_text)
    conditions: dict[str, str | list[str]] = document.get("conditions", {})
    return {condition.code: conditions.get(condition.code, VOID) for condition in pool.terms.conditions}


def _steps(pool: Pool, status: TicketStatus) -> tuple[list[Any], int]:
    """Return the stages of a bet from registered to paid, and the one that it is at, from 1."""
    if pool.state == PoolState.CANCELLED:
        paid = status.standing == TicketStanding.PAID
        return [_("Registered"), _("The pool is cancelled"), _("Stake returned")], 4 if paid else 3
    end = _ENDS.get(status.standing)
    now = len(_STAGES) + 1 if end is not None else _PLACES.get(PoolState(pool.state), len(_STAGES))
    steps = [doing if number == now else done for number, (doing, done) in enumerate(_STAGES, 1)]
    return [*steps[:-1], end or steps[-1]], now


def _pools_it_fits(bet: Bet) -> list[Pool]:
    """Return the pools on sale in which this coupon can be marked again, those that close first."""
    now = clock.lately()
    on_sale = Pool.objects.filter(
        game=bet.pool.game,
        state__in=(PoolState.ANNOUNCED, PoolState.OPEN),
        opens_at__lte=now,
        closes_at__gt=now,
    ).order_by("closes_at")
    terms = bet.pool.terms
    return [pool for pool in on_sale[:MOST_LOOKED_AT] if same_outcomes(terms, pool.terms)]


def _address_for_others(pool: Pool, fits: Sequence[Pool], selections: str) -> str:
    """Return where somebody else can play this coupon: in its own pool, else in the first it fits; empty: nowhere."""
    sells = pool if pool in fits else next(iter(fits), None)
    return settings.SITE_URL + marked_address(sells, selections) if sells is not None else ""

"""Filling in the coupon: its price while it is marked, lines marked by chance, an earlier coupon marked again (B7)."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from accounts.permissions import PersonRequest, player_only
from pools.forms.coupon import grid
from pools.models import Bet, Pool
from pools.queries.past_coupons import same_outcomes
from pools.services.picking import PublishedShares, published_shares, weighted_selections
from pools.services.typed_coupons import random_selections
from pools.views.coupon_part import coupon_part, priced_as_posted
from pools.views.public import show_pool, takes_bets
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.coupon import coupon_from_bits


@csrf_exempt  # it changes nothing, and goes on while another tab logs in
def quote(request: HttpRequest, code: str) -> HttpResponseBase:
    """Price a grid as it is marked now, by the engine; anybody may ask, and nothing is kept of it (C39)."""
    pool = pool_or_404(request, code)
    posted = request.POST if request.method == "POST" else request.GET
    return render(request, "pools/price.html", {"pool": pool} | priced_as_posted(pool, posted))


def quick_pick(request: HttpRequest, code: str) -> HttpResponseBase:
    """Mark a random line on the grid; nothing is bought by it (B7)."""
    pool = pool_or_404(request, code)
    if not takes_bets(pool):
        return show_pool(request, pool)
    said = _("A random line is marked. Nothing is bought until you pay.")
    return _marked(request, pool, random_selections(pool.terms), said)


def weighted_pick(request: HttpRequest, code: str) -> HttpResponseBase:
    """Mark a random line, each outcome as likely as its published share of the lines; without one as any other."""
    pool = pool_or_404(request, code)
    if not takes_bets(pool):
        return show_pool(request, pool)
    shares = published_shares(pool)
    if shares is None:
        said = _("No shares are published yet, so each outcome was as likely as the others. Nothing is bought by it.")
        return _marked(request, pool, random_selections(pool.terms), said)
    return _marked(request, pool, weighted_selections(pool.terms, shares), _told(shares))


@player_only
def copy_coupon(request: PersonRequest, code: str, ticket: str) -> HttpResponseBase:
    """Mark an earlier coupon of the player's own in this pool.

    :raises DomainError: BAD_SELECTION where the conditions of that pool had other outcomes.
    """
    pool = pool_or_404(request, code)
    bet = Bet.objects.filter(player=request.user, ticket=ticket).select_related("pool").first()
    if bet is None:
        raise Http404
    if not same_outcomes(bet.pool.terms, pool.terms):
        raise DomainError(
            Refusal.BAD_SELECTION, _("That coupon does not fit: this pool has other conditions."), field="selections"
        )
    said = _("The coupon of ticket %(ticket)s is marked. Nothing is bought until you pay.") % {"ticket": ticket}
    return _marked(request, pool, coupon_from_bits(pool.terms, bet.bits).selections, said)


def _marked(request: HttpRequest, pool: Pool, selections: str, said: str) -> HttpResponse:
    """Show the grid marked so: alone to htmx, else on the pool's page."""
    rows = grid(pool.terms, selections)
    if request.htmx:  # type: ignore[attr-defined]
        part: dict[str, Any] = {"pool": pool, "said": said, "alone": True} | coupon_part(request, pool, rows)
        answer = render(request, "pools/coupon.html", part)
    else:
        answer = show_pool(request, pool, rows=rows, said=said)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def _told(shares: PublishedShares) -> str:
    """Say by which shares the line was picked, in whole per cent."""
    counts = shares.of_all
    whole = sum(counts.values())
    told = ", ".join(f"{code} {(200 * lines + whole) // (2 * whole)}\u00a0%" for code, lines in counts.items())
    said = _("Marked by chance, as the lines of pool %(pool)s were shared: %(shares)s. Nothing is bought by it.")
    return said % {"pool": shares.pool_code, "shares": told}

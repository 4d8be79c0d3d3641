"""Pools and bets as the API writes them: amounts as text, instants in UTC."""

import json
from datetime import UTC, datetime
from typing import Any

from pools.models import Pool
from pools.services.betting import PlacedBet
from pools.views.figures import figures_of
from totalizator.core.money import plain_byn
from totalizator.engine.coupon import coupon_from_bits


def pool_summary(pool: Pool) -> dict[str, Any]:
    """Write what a list of pools shows."""
    figures = figures_of(pool)
    return {
        "code": pool.code,
        "game": pool.game,
        "name": dict(pool.terms.pool.name),
        "state": pool.state,
        "opens_at": instant(pool.opens_at),
        "closes_at": instant(pool.closes_at),
        "turnover": plain_byn(figures.turnover),
        "fund": plain_byn(figures.fund),
        "lines": figures.lines,
        "bets": figures.bets,
    }


def pool_document(pool: Pool) -> dict[str, Any]:
    """Write a pool with its announced terms and their digest."""
    return pool_summary(pool) | {"terms": json.loads(pool.terms_text), "terms_digest": pool.terms_digest}


def bet_document(placed: PlacedBet) -> dict[str, Any]:
    """Write a placed bet with its check code, which no later request can get."""
    bet = placed.bet
    return {
        "ticket": bet.ticket,
        "check_code": placed.check_code,
        "pool": bet.pool.code,
        "selections": coupon_from_bits(bet.pool.terms, bet.bits).selections,
        "lines": bet.lines,
        "stake": plain_byn(bet.stake),
        "registered_at": instant(bet.registered_at),
        "channel": bet.channel,
        "terms_digest": bet.terms_digest,
        "rules_version": bet.rules_version,
    }


def instant(moment: datetime) -> str:
    """Write an instant as the public files do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

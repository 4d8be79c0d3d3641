"""Pools and bets as the API writes them: amounts as text, instants in UTC."""

import json
from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from pools.models import Bet, Channel, Game, Pool, PoolState
from pools.queries.printed_heads import head_printed_at
from pools.services.betting import PlacedBet
from pools.services.printed_tickets import printed_bet, qr_text_of
from pools.views.figures import Figures, figures_of, figures_of_all
from totalizator.core.api.documents import Byn, Moment, Names, PublicFile, instant
from totalizator.core.money import plain_byn
from totalizator.engine.coupon import coupon_from_bits


class PoolSummary(serializers.Serializer[None]):
    """A pool in a list. Its figures are a few seconds old at most."""

    code = serializers.CharField()
    game = serializers.ChoiceField(Game.choices)
    name = Names()
    state = serializers.ChoiceField(PoolState.choices)
    opens_at = Moment()
    closes_at = Moment(help_text="Exclusive: at this instant no bet is taken.")
    turnover = Byn()
    fund = Byn()
    lines = serializers.IntegerField()
    bets = serializers.IntegerField()


class PoolDocument(PoolSummary):
    """A pool with its announced terms."""

    terms = PublicFile(help_text="terms.json, as announced; its amounts are in kopecks.")
    terms_digest = serializers.CharField(help_text="`sha256:` + hex, of the exact bytes of terms.json.")


class PoolPage(serializers.Serializer[None]):
    """A page of pools."""

    pools = PoolSummary(many=True)
    next = serializers.URLField(allow_null=True)


class BetDocument(serializers.Serializer[None]):
    """A registered bet."""

    ticket = serializers.CharField()
    pool = serializers.CharField()
    selections = serializers.CharField()
    lines = serializers.IntegerField()
    stake = Byn()
    registered_at = Moment(help_text="By the database's clock (D-11).")
    channel = serializers.ChoiceField(Channel.choices)
    terms_digest = serializers.CharField()
    rules_version = serializers.CharField()


class LogHeadDocument(serializers.Serializer[None]):
    """The head of the public log that the ticket carries; null in a log that had none yet."""

    size = serializers.IntegerField()
    root = serializers.CharField()  # type: ignore[assignment]  # `root` is a property of every field
    at = Moment()


class PlacedBetDocument(BetDocument):
    """A bet just placed. The check code is told to who placed it, and to nobody else."""

    check_code = serializers.CharField()
    qr = serializers.CharField(help_text="What the ticket's QR code holds, signed by the operator (X2).")
    log_head = LogHeadDocument(allow_null=True)


def pool_summaries(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Write what a list of pools shows; their figures are read together."""
    figures = figures_of_all(pools)
    return [_summary(pool, figures[pool.pk]) for pool in pools]


def pool_document(pool: Pool) -> dict[str, Any]:
    """Write a pool with its announced terms and their digest."""
    told = _summary(pool, figures_of(pool))
    return told | {"terms": json.loads(pool.terms_text), "terms_digest": pool.terms_digest}


def _summary(pool: Pool, figures: Figures) -> dict[str, Any]:
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


def placed_document(placed: PlacedBet) -> dict[str, Any]:
    """Write a placed bet with its check code, which only a repetition of the same request gets again."""
    printed = printed_bet(placed.bet)
    told = _document(placed.bet, printed.selections)
    qr = qr_text_of(printed, placed.check_code)
    return told | {"check_code": placed.check_code, "qr": qr, "log_head": log_head_document(placed.bet)}


def log_head_document(bet: Bet) -> dict[str, Any] | None:
    """Write the head that the bet's ticket carries."""
    head = head_printed_at(bet.registered_at)
    return {"size": head.size, "root": head.root, "at": instant(head.at)} if head is not None else None


def bet_document(bet: Bet) -> dict[str, Any]:
    """Write a registered bet."""
    return _document(bet, coupon_from_bits(bet.pool.terms, bet.bits).selections)


def _document(bet: Bet, selections: str) -> dict[str, Any]:
    return {
        "ticket": bet.ticket,
        "pool": bet.pool.code,
        "selections": selections,
        "lines": bet.lines,
        "stake": plain_byn(bet.stake),
        "registered_at": instant(bet.registered_at),
        "channel": bet.channel,
        "terms_digest": bet.terms_digest,
        "rules_version": bet.rules_version,
    }

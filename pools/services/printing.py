"""Printing the ticket of a bet: once with its check code, and again only as a copy (B3, C59)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import formats, translation
from django.utils.translation import gettext as _

from pools.documents.ticket import MarkedCondition, TicketFacts, render_ticket, render_tickets
from pools.models import Bet, Game
from pools.queries.printed_heads import head_printed_at
from pools.services.betting import PlacedBet
from pools.services.claim_words import claim_words, last_day_words
from pools.services.printed_tickets import qr_text
from pools.services.tickets import barcode_digits
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.names import localized
from totalizator.core.risk_warnings import risk_warning
from totalizator.engine.coupon import coupon_from_bits
from totalizator.engine.instants import instant_text

TicketDrawer = Callable[[TicketFacts], bytes]
"""How a ticket comes onto paper: a PDF, or what a receipt printer reads."""
TicketsDrawer = Callable[[Sequence[TicketFacts]], bytes]
"""How several do."""


def print_ticket(
    placed: PlacedBet, *, language: str = settings.LANGUAGE_CODE, draw: TicketDrawer = render_ticket
) -> bytes:
    """Return the ticket of a bet just placed, in `language`: a PDF, or as `draw` does it."""
    with translation.override(language):
        return draw(_facts(placed.bet, placed.check_code, copy=False))


def print_tickets(placed: Sequence[PlacedBet], *, language: str, draw: TicketsDrawer = render_tickets) -> bytes:
    """Return the tickets of bets just placed together, in one run."""
    with translation.override(language):
        return draw([_facts(one.bet, one.check_code, copy=False) for one in placed])


def print_copy(
    bet: Bet,
    *,
    actor: str,
    language: str = settings.LANGUAGE_CODE,
    paid_until: datetime | None = None,
    draw: TicketDrawer = render_ticket,
) -> bytes:
    """Return a copy without check code, marked COPY; nothing is paid on it. The reprint is journalled.

    `paid_until` is the end of the term for payment, exclusive, once it is known.
    """
    write_journal(at=clock.now(), actor=actor, act="reprint_ticket", subject=f"bet:{bet.ticket}")
    with translation.override(language):
        return draw(_facts(bet, "", copy=True, paid_until=paid_until))


def _facts(bet: Bet, check_code: str, *, copy: bool, paid_until: datetime | None = None) -> TicketFacts:
    terms = bet.pool.terms
    coupon = coupon_from_bits(terms, bet.bits)
    marks = [part.replace("+", " ") for part in coupon.selections.split(";")]
    point = bet.till.point if bet.till is not None else None
    zone = ZoneInfo(point.time_zone if point is not None else settings.TIME_ZONE)
    shown = formats.date_format(bet.registered_at.astimezone(zone), "d.m.Y H:i:s")
    return TicketFacts(
        operator=settings.OPERATOR_NAME,
        game=str(Game(bet.pool.game).label),
        pool_code=bet.pool.code,
        pool_name=localized(terms.pool.name),
        ticket=bet.ticket,
        qr=qr_text(bet, check_code),
        barcode=barcode_digits(bet.pool_id, bet.ticket),
        check_code=check_code,
        conditions=[
            MarkedCondition(condition.code, localized(condition.name), mark)
            for condition, mark in zip(terms.conditions, marks, strict=True)
        ],
        lines=bet.lines,
        stake=bet.stake,
        shown_time=f"{shown} ({zone.key})",
        place=f"{point.code}/{bet.till.number} {point.name}" if point and bet.till else _("Website"),
        cashier=str(bet.sold_by_id) if bet.sold_by_id else "",
        terminal=_terminal_of(bet),
        claim_term=last_day_words(paid_until) if paid_until is not None else claim_words(bet.pool),
        terms_digest=bet.terms_digest,
        rules_version=bet.rules_version,
        log_head=_log_head(bet),
        risk_warning=" ".join(risk_warning(bet.registered_at)).strip(),
        copy=copy,
    )


def _terminal_of(bet: Bet) -> str:
    """Return the number of the terminal that sold the bet for its cashier, as the journal has it; empty for none."""
    if bet.till is None:
        return ""
    record = JournalRecord.objects.filter(subject=f"bet:{bet.ticket}", act="place_bet").first()
    sold_at = str((record.after or {}).get("terminal", "")) if record is not None else ""
    return sold_at.removeprefix("terminal:")


def _log_head(bet: Bet) -> str:
    """Return size, first half of the root and time (UTC) of a head, as in `12 0a1b… 2026-12-01T06:00:00Z`."""
    head = head_printed_at(bet.registered_at)
    return f"{head.size} {head.root[:32]} {instant_text(head.at)[:19]}Z" if head is not None else ""

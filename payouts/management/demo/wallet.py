"""Prepaid cards of the demonstration: printed, shipped, sold for cash, and which bets each of them pays."""

import secrets
from collections.abc import Iterable
from datetime import timedelta

from accounts.models import CardBatch
from accounts.services.card_batches import (
    approve_card_batch,
    export_card_batch,
    print_card_batch,
    propose_card_batch,
)
from accounts.services.card_ranges import CardRange
from accounts.services.card_sale import sell_card
from accounts.services.card_stock import receive_cards, ship_cards
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import CARD_VALUE, ChosenBet, Way
from payouts.management.demo.doors import HeldCard
from totalizator.core import clock
from totalizator.core.sealed import open_sealed

SERIES, LASTS = "DEMO", timedelta(days=3 * 365)
ON_THE_SHEET = 10


def shared_out(bets: Iterable[ChosenBet]) -> dict[int, int]:
    """Return which card pays which bet, by its number: a card pays for several, as long as it lasts."""
    paying: dict[int, int] = {}
    card, left = -1, 0
    for bet in bets:
        if bet.way == Way.CARD:
            if bet.stake > left:
                card, left = card + 1, CARD_VALUE
            paying[bet.number] = card
            left -= bet.stake
    return paying


def buy_cards(count: int, cast: Cast) -> list[HeldCard]:
    """Have cards made by two people, sent to the first point, and sold there for cash."""
    if not count:
        return []
    passphrase = secrets.token_hex(16)
    batch = approve_card_batch(batch=_proposed(count, cast), approved_by=cast.announcer)
    export = export_card_batch(batch=batch, passphrase=passphrase, exported_by=cast.drafter)
    rows = open_sealed(export.content, passphrase).decode().splitlines()[1:]
    cards = [HeldCard(*row.split(",")[:3]) for row in rows]
    cashier, till = cast.cashiers[0], cast.tills[0]
    these = CardRange.typed(SERIES, cards[0].number, cards[-1].number)
    ship_cards(cards=these, point=till.point, document="DEMO", shipped_by=cast.drafter)
    receive_cards(cards=these, cashier=cashier)
    for card in cards:
        sell_card(series=SERIES, number=card.number, cashier=cashier, idempotency_key=f"demo:card:{card.number}")
    return cards


def card_sheet(cast: Cast) -> bytes:
    """Print a small batch on a sheet in the house: these cards stay with the organizer."""
    batch = approve_card_batch(batch=_proposed(ON_THE_SHEET, cast), approved_by=cast.announcer)
    return print_card_batch(batch=batch, exported_by=cast.drafter).content


def _proposed(count: int, cast: Cast) -> CardBatch:
    return propose_card_batch(
        series=SERIES,
        quantity=count,
        face_value=CARD_VALUE,
        valid_until=clock.today() + LASTS,
        proposed_by=cast.drafter,
    )

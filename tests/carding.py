"""Prepaid cards from the proposal of a batch to their sale, through the same services as the desks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from accounts.ledger.balances import balance
from accounts.models import CardBatch, PrepaidCard, Till, User
from accounts.services.card_batches import approve_card_batch, export_card_batch, propose_card_batch
from accounts.services.card_ranges import CardRange
from accounts.services.card_sale import sell_card
from accounts.services.card_stock import receive_cards, ship_cards
from pools.models import Pool
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import from_card
from tests.making import make_organizers
from totalizator.core import clock
from totalizator.core.sealed import open_sealed
from totalizator.engine.deadlines import legal_day

PRINTER = "the printer's own passphrase"
_number = count(1)


@dataclass(frozen=True, slots=True)
class Bought:
    """What the buyer of a card holds."""

    series: str
    number: str
    code: str

    @property
    def card(self) -> PrepaidCard:
        """The card as it is now."""
        return PrepaidCard.objects.select_related("batch", "ledger_account").get(number=self.number)

    @property
    def money(self) -> int:
        """What is on it now, in kopecks."""
        account = self.card.ledger_account
        assert account is not None
        return balance(account)


def approved_batch(quantity: int = 1, face_value: int = 1_000, *, series: str = "AB", days: int = 400) -> CardBatch:
    """A batch that two people have decided on, valid for `days` from today."""
    one, other = make_organizers()
    batch = propose_card_batch(
        series=series,
        quantity=quantity,
        face_value=face_value,
        valid_until=legal_day(clock.now()) + timedelta(days=days),
        proposed_by=one,
    )
    return approve_card_batch(batch=batch, approved_by=other)


def printed(batch: CardBatch) -> list[Bought]:
    """Export the batch and read the cards as the printer does."""
    (staff, _other) = make_organizers()
    export = export_card_batch(batch=batch, passphrase=PRINTER, exported_by=staff)
    rows = open_sealed(export.content, PRINTER).decode().splitlines()
    return [Bought(*row.split(",")[:3]) for row in rows[1:]]


def range_of(cards: Sequence[Bought]) -> CardRange:
    return CardRange.typed(cards[0].series, cards[0].number, cards[-1].number)


def at_point(till: Till, quantity: int = 1, face_value: int = 1_000, *, days: int = 400) -> list[Bought]:
    """Cards that the till's point has for sale."""
    assert till.cashier is not None
    cards, (staff, _other) = printed(approved_batch(quantity, face_value, days=days)), make_organizers()
    ship_cards(cards=range_of(cards), point=till.point, document="Waybill 1", shipped_by=staff)
    receive_cards(cards=range_of(cards), cashier=till.cashier)
    return cards


def sell(till: Till, card: Bought, key: str | None = None) -> PrepaidCard:
    assert till.cashier is not None
    key = key or f"sell-{card.number}"
    return sell_card(series=card.series, number=card.number, cashier=till.cashier, idempotency_key=key)


def bought(till: Till, quantity: int = 1, face_value: int = 1_000, *, days: int = 400) -> list[Bought]:
    """Cards that were sold at the till."""
    cards = at_point(till, quantity, face_value, days=days)
    for card in cards:
        sell(till, card)
    return cards


def bet_by_card(
    pool: Pool,
    card: Bought,
    selections: str,
    stake: int,
    key: str | None = None,
    *,
    asked_by: User | None = None,
    subjects: Collection[str] = (),
    code: str | None = None,
) -> PlacedBet:
    return place_bet(
        pool_code=pool.code,
        selections=selections,
        stake=stake,
        source=from_card(
            series=card.series, number=card.number, code=code or card.code, asked_by=asked_by, subjects=subjects
        ),
        idempotency_key=key or f"card-key-{next(_number)}",
    )

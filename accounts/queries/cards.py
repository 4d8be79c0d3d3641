"""What the cards say: their number in each state, the stock of points, and what is owed to their bearers (D2, D5)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    F,
    Max,
    Min,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Concat

from accounts.ledger.kinds import TransferKind
from accounts.models import HOUSE_BOOK, BettingPoint, CardBatch, CardState, Entry, PrepaidCard
from accounts.models.cards import SPENT


@dataclass(frozen=True, slots=True)
class StockLine:
    """How many cards of one series and face value (kopecks) a point has for sale."""

    series: str
    face_value: int
    quantity: int


IN_STOCK = (CardState.SHIPPED, CardState.AT_POINT)
_BALANCE = Coalesce(F("ledger_account__credits") - F("ledger_account__debits"), 0, output_field=BigIntegerField())


def cards_by_state(batch: CardBatch) -> Mapping[str, int]:
    """Return how many cards of a batch are in each state, those sold and without money as `spent`; together all."""
    shown = Case(
        When(state=CardState.ACTIVE, ledger_account__credits=F("ledger_account__debits"), then=Value(SPENT)),
        default=F("state"),
        output_field=TextField(),
    )
    rows = batch.cards.annotate(shown=shown).values("shown").annotate(count=Count("pk")).order_by("shown")
    return {row["shown"]: row["count"] for row in rows}


def stock_of(point: BettingPoint) -> Sequence[StockLine]:
    """Return the cards that a point has for sale."""
    rows = (
        PrepaidCard.objects.filter(point=point, state=CardState.AT_POINT)
        .values("batch__series", "batch__face_value")
        .annotate(quantity=Count("pk"))
        .order_by("batch__series", "batch__face_value")
    )
    return [StockLine(row["batch__series"], row["batch__face_value"], row["quantity"]) for row in rows]


def unsold_at(points: Collection[int] | None = None) -> "QuerySet[PrepaidCard, dict[str, Any]]":
    """Return what points (by their keys; all, unless told) have unsold, or on its way to them, by batch and state.

    `first` and `last` are the lowest and highest number; those between need not all be there.
    """
    cards = PrepaidCard.objects.filter(state__in=IN_STOCK)
    if points is not None:
        cards = cards.filter(point__in=points)
    columns = ("point__code", "batch__series", "batch__face_value", "state")
    rows: QuerySet[PrepaidCard, dict[str, Any]] = (
        cards.order_by(*columns)
        .values("batch_id", *columns)
        .annotate(quantity=Count("pk"), first=Min("number"), last=Max("number"))
    )
    return rows


def card_liability() -> Mapping[str, int]:
    """Return what is owed to the bearers of sold cards, in kopecks, by state; together the ledger's `prepaid_card`."""
    rows = PrepaidCard.objects.exclude(state=CardState.REPLACED).filter(ledger_account__isnull=False)
    sums = rows.values("state").annotate(total=Sum(_BALANCE)).order_by("state")
    return {row["state"]: int(row["total"]) for row in sums}


def expired_cards(since: datetime, until: datetime) -> QuerySet[PrepaidCard]:
    """Return the expired cards whose validity ended from `since` to before `until`, each with its `rest`."""
    rest = Entry.objects.filter(
        book=HOUSE_BOOK,
        transfer__kind=TransferKind.CARD_EXPIRED,
        key=Concat(Value("card-expired:"), OuterRef("number")),
    )
    cards = PrepaidCard.objects.filter(state=CardState.EXPIRED, expires_at__gte=since, expires_at__lt=until)
    return (
        cards.select_related("batch")
        .annotate(rest=Coalesce(Subquery(rest.values("amount")[:1]), 0, output_field=BigIntegerField()))
        .order_by("number")
    )

"""Cards on their way to the points, and their sale at a till: cash in, a debt to the bearer (D2, D5)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import lock_cards
from accounts.models import BettingPoint, CardState, PrepaidCard, Role, Till, User
from accounts.models.cards import move_card, states_before
from accounts.services.card_batches import only_organizer
from accounts.services.card_numbers import normal_letters, read_number
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day


@dataclass(frozen=True, slots=True)
class CardRange:
    """Cards of one series whose numbers run from `first` to `last`, both included."""

    series: str
    first: str
    last: str

    @classmethod
    def typed(cls, series: str, first: str, last: str) -> "CardRange":
        """Read a range as somebody typed it; :raises DomainError: BAD_VALUE, naming the number with a wrong digit."""
        numbers = read_number(first, field="first"), read_number(last, field="last")
        if numbers[0] > numbers[1]:
            raise DomainError(Refusal.BAD_VALUE, _("The last number must not be before the first."), field="last")
        return cls(normal_letters(series), *numbers)

    @property
    def cards(self) -> QuerySet[PrepaidCard]:
        """The cards of the range."""
        numbers = (self.first, self.last)
        return PrepaidCard.objects.filter(batch__series=self.series, number__range=numbers)

    @property
    def subject(self) -> str:
        """How the journal names the range."""
        return f"cards:{self.series}:{self.first}-{self.last}"


def ship_cards(*, cards: CardRange, point: BettingPoint, document: str, shipped_by: User) -> int:
    """Send a range of cards to a point, from the printer or from another point; return how many.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a document; NOT_FOUND for an empty range; WRONG_STATE when any
        of them cannot be sent: then none is.
    """
    only_organizer(shipped_by)
    if not document.strip():
        raise DomainError(Refusal.BAD_VALUE, _("Give the document that goes with the cards."), field="document")
    return _move_range(cards, CardState.SHIPPED, "ship_cards", shipped_by, after={"document": document}, to_point=point)


def receive_cards(*, cards: CardRange, cashier: User) -> int:
    """Take a range of cards that came to the cashier's point into its stock; return how many.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE when any of them is not on its way to this point.
    """
    till = till_of(cashier)
    return _move_range(cards, CardState.AT_POINT, "receive_cards", cashier, at_point=till.point)


def sell_card(*, series: str, number: str, cashier: User, idempotency_key: str) -> PrepaidCard:
    """Sell a card of the point's stock for its face value in cash: from now on it pays.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a mistyped number; NOT_FOUND when it is not at this point;
        WRONG_STATE when it is not for sale, or no longer valid for long enough; KEY_REUSED; BUSY.
    """
    till, number = till_of(cashier), read_number(number)
    wanted = PrepaidCard.objects.filter(number=number, batch__series=normal_letters(series), point=till.point)
    with one_transaction():
        reserved = recall_or_reserve(
            scope=f"till:{till.pk}",
            key=idempotency_key,
            fingerprint=fingerprint_of("sell_card", normal_letters(series), number),
            answer=number,
            created_at=clock.now(),
        )
        if reserved is not None:
            return PrepaidCard.objects.select_related("batch", "ledger_account").get(number=reserved)
        card = next(iter(lock_cards(wanted)), None)
        if card is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such card at this point."), field="number")
        at = clock.now()
        _refuse_short_validity(card, at)
        _activate(card, till, at)
        write_journal(
            at=at,
            actor=cashier.actor,
            act="sell_card",
            subject=card.subject,
            after={"till": till.pk, "amount": card.batch.face_value},
        )
    return card


def till_of(cashier: User) -> Till:
    """Return the cashier's till; :raises DomainError: NOT_ALLOWED for anyone but a cashier at a till."""
    till = Till.objects.select_related("ledger_account", "point").filter(cashier=cashier).first()
    if cashier.role != Role.CASHIER or till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can do this."))
    return till


def _activate(card: PrepaidCard, till: Till, at: datetime) -> None:
    account = ledger_account(AccountKind.PREPAID_CARD, card.number)
    move_card(card, CardState.ACTIVE, ledger_account=account, sold_at=at, sold_at_till=till)
    post(
        key=f"card-sold:{card.number}",
        kind=TransferKind.CARD_SOLD,
        occurred_at=at,
        cause=card.subject,
        movements=[Movement(till.ledger_account, account, card.batch.face_value)],
    )


def _refuse_short_validity(card: PrepaidCard, at: datetime) -> None:
    days = int(legal_number("card_sale_min_days", legal_day(at)))
    if card.expires_at < at + timedelta(days=days):
        message = _("A card must be valid for at least %(days)s days when it is sold.") % {"days": days}
        raise DomainError(Refusal.WRONG_STATE, message, field="number", state=str(card.state))


def _move_range(
    cards: CardRange,
    to: CardState,
    act: str,
    person: User,
    *,
    after: dict[str, Any] | None = None,
    to_point: BettingPoint | None = None,
    at_point: BettingPoint | None = None,
) -> int:
    """Move every card of the range, or none."""
    with one_transaction():
        locked = lock_cards(cards.cards)
        if not locked:
            raise DomainError(Refusal.NOT_FOUND, _("There are no cards with these numbers."), field="first")
        for card in locked:
            if card.state not in states_before(to) or (at_point is not None and card.point_id != at_point.pk):
                raise DomainError(
                    Refusal.WRONG_STATE,
                    _("Card %(number)s is %(state)s.") % {"number": card.number, "state": CardState(card.state).label},
                    state=str(card.state),
                    number=card.number,
                )
        changes = {"point": to_point} if to_point is not None else {}
        PrepaidCard.objects.filter(pk__in=[card.pk for card in locked]).update(state=to, **changes)
        point = to_point or at_point
        write_journal(
            at=clock.now(),
            actor=person.actor,
            act=act,
            subject=cards.subject,
            after={"rows": len(locked), "point": point.code if point is not None else None, **(after or {})},
        )
    return len(locked)

"""Ranges of cards, as they are shipped, received, blocked and unblocked: all of a range, or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_cards
from accounts.models import CardState, PrepaidCard
from accounts.services.card_numbers import normal_letters, read_number
from totalizator.core.errors import DomainError, Refusal


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


def lock_range(cards: CardRange) -> Sequence[PrepaidCard]:
    """Lock the cards of a range until the transaction ends; :raises DomainError: NOT_FOUND for an empty range."""
    locked = lock_cards(cards.cards)
    if not locked:
        raise DomainError(Refusal.NOT_FOUND, _("There are no cards with these numbers."), field="first")
    return locked


def refuse_unless(card: PrepaidCard, states: Collection[CardState]) -> None:
    """Refuse a card that is in none of `states`; :raises DomainError: WRONG_STATE, with its number."""
    if card.state not in states:
        state = CardState(card.state)
        raise DomainError(
            Refusal.WRONG_STATE,
            _("Card %(number)s is %(state)s.") % {"number": card.number, "state": state.label},
            state=state.value,
            number=card.number,
        )

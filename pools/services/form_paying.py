"""One form pays once, whether with a prepaid card or from what the form is of: a game account, a till (C36)."""

from django.utils.translation import gettext_lazy as _

from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import BetSource
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import answer_to, fingerprint_of, recall_or_reserve
from totalizator.core.transactions import one_transaction

_CARD = "card:"
"""How the answer begins that stands in the form's own scope for a bet that a card has paid; no ticket begins so."""


def place_by_card(
    *, pool_code: str, selections: str, stake: int, source: BetSource, instead_of: BetSource, idempotency_key: str
) -> PlacedBet:
    """Place a bet as `place_bet` does, paid by a card; the form's key is then used up for `instead_of`, too.

    The bet comes first: so this locks what a bet from the account locks, in the same order.

    :raises DomainError: as `place_bet`; KEY_REUSED when the form was paid otherwise. Then no bet was made.
    """
    with one_transaction():
        placed = place_bet(
            pool_code=pool_code, selections=selections, stake=stake, source=source, idempotency_key=idempotency_key
        )
        try:
            recall_or_reserve(
                scope=instead_of.scope,
                key=idempotency_key,
                fingerprint=fingerprint_of("place_by_card", source.scope),
                answer=f"{_CARD}{placed.bet.ticket}",
                created_at=clock.now(),
            )
        except DomainError as refusal:
            raise (paid_already() if refusal.code == Refusal.KEY_REUSED else refusal) from refusal
    return placed


def refuse_paid_otherwise(source: BetSource, key: str, *, by_card: bool) -> None:
    """Refuse a form, by its key, that has paid for a bet in the other of the two ways.

    :raises DomainError: KEY_REUSED.
    """
    answer = answer_to(scope=source.scope, key=key)
    if answer is not None and answer.startswith(_CARD) != by_card:
        raise paid_already()


def paid_already() -> DomainError:
    """Return the refusal of a form that is paid a second time in another way."""
    return DomainError(Refusal.KEY_REUSED, _("This form has paid for a bet already; that bet stands."))

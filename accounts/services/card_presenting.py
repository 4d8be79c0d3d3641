"""Presenting a card: series, number and activation code together; one answer to all that does not pay (C61)."""

from collections.abc import Callable, Collection
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.locks import lock_cards
from accounts.models import CardState, PrepaidCard
from accounts.models.cards import NUMBER_DIGITS
from accounts.services.card_numbers import code_matches, normal_letters, normal_number
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.throttle import note_failure, refuse_when_throttled

_MAX_SERIES = 6


def present_card(
    *,
    series: str,
    number: str,
    code: str,
    subjects: Collection[str],
    actor: str,
    was_used: Callable[[PrepaidCard], bool] = lambda _card: False,
) -> PrepaidCard:
    """Return the sold, valid card that these three belong to (¶35.2). Whether it is spent its ledger account says.

    `subjects` are who asks, for the throttle: till or terminal, account, network; the card is added. Call it outside
    any transaction: a failure is counted for good. What uses the card locks it and looks again.

    `was_used` tells whether this very request was done with the card before. Then who has the code is told the answer
    once more, whatever has become of the card; only who knows the request's key can ask so past the throttle.

    :raises DomainError: THROTTLED; CARD_REFUSED, in the same words and the same time for unknown, wrong, not sold,
        blocked, replaced and expired.
    """
    now = clock.now()
    series, number = normal_letters(series)[: _MAX_SERIES + 1], normal_number(number)[: NUMBER_DIGITS + 1]
    counted = [_subject(series, number), *subjects]
    card = (
        PrepaidCard.objects.select_related("batch", "ledger_account")
        .filter(number=number, batch__series=series)
        .first()
    )
    if card is not None and card.ledger_account is not None and was_used(card) and code_matches(card, number, code):
        return card
    refuse_when_throttled(counted, now)
    if not code_matches(card, number, code) or card is None or not _usable(card, now):
        note_failure(counted, now, act="refuse_card", actor=actor)
        raise card_refused()
    return card


def hold_card(card: PrepaidCard, now: datetime) -> PrepaidCard:
    """Lock a card that was presented until the transaction ends, and return it as it is now, with money on it.

    :raises DomainError: CARD_REFUSED when it was blocked, replaced or spent meanwhile, or is out of date at `now`.
    """
    (held,) = lock_cards(PrepaidCard.objects.filter(pk=card.pk))
    account = held.ledger_account
    if not _usable(held, now) or account is None or not balance(account):
        raise card_refused()
    return held


def _subject(series: str, number: str) -> str:
    """Name the card in throttle and journal; whoever typed the code into another field has it written nowhere."""
    if number.isdigit() and len(number) == NUMBER_DIGITS and series.isalnum() and len(series) <= _MAX_SERIES:
        return f"card:{series}:{number}"
    return f"card:{keyed_digest('mistyped-card', f'{series} {number}').hex()[:32]}"


def _usable(card: PrepaidCard, now: datetime) -> bool:
    """Tell whether the card is sold, and neither blocked nor replaced nor out of date."""
    return card.state == CardState.ACTIVE and now < card.expires_at


def card_refused() -> DomainError:
    """Return the one answer to every card that does not pay."""
    return DomainError(
        Refusal.CARD_REFUSED, _("There is no usable card with this series, number and activation code."), field="code"
    )

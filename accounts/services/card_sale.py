"""The sale of a prepaid card at a till: cash in, and a debt to the bearer (D2, D5)."""

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import hold_play_of, lock_cards
from accounts.models import CardState, FiscalKind, Person, PrepaidCard, Terminal, Till, User
from accounts.models.cards import move_card
from accounts.queries.standing import standing_of
from accounts.services.card_numbers import normal_letters, read_number
from accounts.services.card_ranges import refuse_unless
from accounts.services.card_stock import till_of
from accounts.services.desks import refuse_to_sell
from accounts.services.fiscal import queue_fiscal
from accounts.services.identified_operations import note_identified, refuse_unidentified
from accounts.services.standing import refuse_barred
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day


def sell_card(
    *,
    series: str,
    number: str,
    cashier: User,
    idempotency_key: str,
    person: Person | None = None,
    terminal: Terminal | None = None,
) -> PrepaidCard:
    """Sell a card of the point's stock for its face value in cash: from now on it pays.

    `person` is who showed a document (`person_at_desk`), which cards of a large value need; it is noted,
    and who may not play gets no card. `terminal` is what sells for the cashier.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a mistyped number; NOT_FOUND when it is not at this point;
        WRONG_STATE when it is not for sale, or no longer valid for long enough; what a desk that may not sell says
        (`refuse_to_sell`); IDENTITY_NEEDED; ACCOUNT_BLOCKED, MAY_NOT_PLAY, REGISTER_STALE; KEY_REUSED; BUSY.
    """
    till, number, series = till_of(cashier), read_number(number), normal_letters(series)
    with one_transaction():
        sold = recall_or_reserve(
            scope=f"till:{till.pk}",
            key=idempotency_key,
            fingerprint=fingerprint_of("sell_card", series, number),
            answer=number,
            created_at=clock.now(),
        )
        if sold is not None:
            return PrepaidCard.objects.select_related("batch", "ledger_account").get(number=sold)
        _refuse_person(person)
        card, at = _of_the_stock(series, number, till), clock.now()
        _refuse_short_validity(card, at)
        refuse_unidentified(amount=card.batch.face_value, person=person, at=at)
        refuse_to_sell(till=till, cash=card.batch.face_value, now=at, terminal=terminal)
        _activate(card, till, at)
        if person is not None:
            note_identified(operation=f"card-sold:{card.number}", person=person, noted_by=cashier, at=at)
        queue_fiscal(till=till, kind=FiscalKind.SALE, subject=card.subject, amount=card.batch.face_value, at=at)
        write_journal(
            at=at,
            actor=cashier.actor,
            act="sell_card",
            subject=card.subject,
            after={
                "till": till.pk,
                "amount": card.batch.face_value,
                **({"terminal": terminal.actor} if terminal is not None else {}),
            },
        )
    return card


def _refuse_person(person: Person | None) -> None:
    """Refuse a known person who may not play; held before the card, as for a bet (docs/locking.md)."""
    if person is not None:
        hold_play_of(person)
        at = clock.now()
        refuse_barred(standing_of(person, at), at)


def _of_the_stock(series: str, number: str, till: Till) -> PrepaidCard:
    """Lock the card and return it, if the till's point has it for sale."""
    wanted = PrepaidCard.objects.filter(number=number, batch__series=series, point=till.point)
    card = next(iter(lock_cards(wanted)), None)
    if card is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such card at this point."), field="number")
    refuse_unless(card, {CardState.AT_POINT})
    return card


def _refuse_short_validity(card: PrepaidCard, at: datetime) -> None:
    days = int(legal_number("card_sale_min_days", legal_day(at)))
    if card.expires_at < at + timedelta(days=days):
        message = _("A card must be valid for at least %(days)s days when it is sold.") % {"days": days}
        raise DomainError(Refusal.WRONG_STATE, message, field="number", state=str(card.state))


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

"""Batches of prepaid cards: proposed by one, approved by another, and handed to the printer once (D1).

Activation codes exist from the export on: made, hashed, written into one file, and forgotten. What the database
keeps pays nobody. If the file is lost, so are its cards: block them, and propose another batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

from django.conf import settings
from django.db.models import Max
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.documents.card_sheet import PrintedCard, render_card_sheet
from accounts.locks import lock_card_batch, lock_card_numbers
from accounts.models import BatchState, CardBatch, PrepaidCard, User
from accounts.models.cards import MOST_CARDS
from accounts.services.card_numbers import card_number, code_hash, new_code, normal_letters, serial_of, shown_code
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.money import plain_byn
from totalizator.core.sealed import seal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import end_of_legal_day, legal_day

MOST_ON_SHEETS = 500
COLUMNS = "series,number,activation_code,face_value,valid_until"
_MAX_SERIES = 6


@dataclass(frozen=True, slots=True)
class CardExport:
    """What is handed out, once: the file's content, and what to call it."""

    batch: CardBatch
    content: bytes
    file_name: str


def propose_card_batch(
    *, series: str, quantity: int, face_value: int, valid_until: date, proposed_by: User
) -> CardBatch:
    """Propose to print `quantity` cards of `face_value` kopecks, valid to the end of the legal day `valid_until`.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE naming the field.
    """
    refuse_all_but_staff(proposed_by)
    at = clock.now()
    letters = normal_letters(series)
    _refuse_if(not 1 <= len(letters) <= _MAX_SERIES, "series", _("A series has 1 to 6 Latin letters or digits."))
    _refuse_if(not 1 <= quantity <= MOST_CARDS, "quantity", _("A batch has 1 to 100,000 cards."))
    _refuse_if(face_value <= 0, "face_value", _("The amount must be above zero."))
    _refuse_if(valid_until <= legal_day(at), "valid_until", _("Give a day to come."))
    with one_transaction():
        batch = CardBatch.objects.create(
            series=letters,
            quantity=quantity,
            face_value=face_value,
            valid_until=valid_until,
            proposed_by=proposed_by,
            proposed_at=at,
        )
        what = {"series": letters, "quantity": quantity, "face_value": face_value, "valid_until": str(valid_until)}
        write_journal(at=at, actor=proposed_by.actor, act="propose_card_batch", subject=batch.subject, after=what)
    return batch


def approve_card_batch(*, batch: CardBatch, approved_by: User) -> CardBatch:
    """Approve a proposed batch.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        batch, at = lock_card_batch(batch.pk), clock.now()
        _refuse_state(batch, BatchState.PROPOSED)
        if batch.proposed_by_id == approved_by.pk:
            raise DomainError(Refusal.SAME_PERSON, _("Another person must approve what you proposed."))
        batch.state, batch.approved_by, batch.approved_at = BatchState.APPROVED, approved_by, at
        batch.save(update_fields=["state", "approved_by", "approved_at"])
        write_journal(at=at, actor=approved_by.actor, act="approve_card_batch", subject=batch.subject)
    return batch


def export_card_batch(*, batch: CardBatch, passphrase: str, exported_by: User) -> CardExport:
    """Make the cards of an approved batch and return them for the printer, sealed under `passphrase`, once.

    The printer opens the file with `manage.py open_card_export`; its format is told in docs/cards.md.

    :raises DomainError: NOT_ALLOWED; WRONG_STATE unless approved, and for every export after the first; BAD_VALUE for
        a short passphrase.
    """
    return _export(batch, exported_by, lambda cards: seal(_as_csv(cards), passphrase), "sealed")


def print_card_batch(*, batch: CardBatch, exported_by: User) -> CardExport:
    """Make the cards of an approved batch and return them as sheets to print in the house, once, instead of the file.

    :raises DomainError: NOT_ALLOWED; WRONG_STATE as `export_card_batch`; BAD_VALUE for more than 500 cards.
    """
    _refuse_if(batch.quantity > MOST_ON_SHEETS, "quantity", _("At most 500 cards are printed on sheets."))
    return _export(batch, exported_by, lambda cards: render_card_sheet(cards, settings.OPERATOR_NAME), "pdf")


def _export(
    batch: CardBatch, exported_by: User, write: Callable[[Sequence[PrintedCard]], bytes], kind: str
) -> CardExport:
    refuse_all_but_staff(exported_by)
    with one_transaction():
        batch, at = lock_card_batch(batch.pk), clock.now()
        _refuse_state(batch, BatchState.APPROVED)
        cards = _make_cards(batch)
        content = write(cards)
        batch.state, batch.exported_at = BatchState.EXPORTED, at
        batch.export_digest = f"sha256:{sha256(content).hexdigest()}"
        batch.save(update_fields=["state", "exported_at", "export_digest"])
        write_journal(
            at=at,
            actor=exported_by.actor,
            act="export_card_batch",
            subject=batch.subject,
            after={
                "first": cards[0].number,
                "last": cards[-1].number,
                "rows": len(cards),
                "sum": len(cards) * batch.face_value,
                "form": kind,
                "digest": batch.export_digest,
            },
        )
    return CardExport(batch, content, f"cards-{batch.series}-{cards[0].number}.{kind}")


def _make_cards(batch: CardBatch) -> list[PrintedCard]:
    """Write the rows of the cards; the codes themselves are only in what is returned."""
    lock_card_numbers()
    latest = PrepaidCard.objects.aggregate(latest=Max("number"))["latest"]
    first = serial_of(latest) + 1 if latest else 1
    cards = [_new_card(batch, card_number(serial)) for serial in range(first, first + batch.quantity)]
    expires_at = end_of_legal_day(batch.valid_until)
    PrepaidCard.objects.bulk_create(
        [
            PrepaidCard(
                batch=batch, number=card.number, code_hash=code_hash(card.number, card.code), expires_at=expires_at
            )
            for card in cards
        ],
        batch_size=5_000,
    )
    return cards


def _new_card(batch: CardBatch, number: str) -> PrintedCard:
    return PrintedCard(batch.series, number, shown_code(new_code()), batch.face_value, batch.valid_until)


def _as_csv(cards: Sequence[PrintedCard]) -> bytes:
    rows = [
        f"{card.series},{card.number},{card.code},{plain_byn(card.face_value)},{card.valid_until.isoformat()}"
        for card in cards
    ]
    return "\n".join([COLUMNS, *rows, ""]).encode()


def _refuse_state(batch: CardBatch, wanted: BatchState) -> None:
    if batch.state != wanted:
        state = BatchState(batch.state)
        raise DomainError(Refusal.WRONG_STATE, _("The batch is %(state)s.") % {"state": state.label}, state=state.value)


def _refuse_if(wrong: bool, field: str, message: str | Promise) -> None:
    if wrong:
        raise DomainError(Refusal.BAD_VALUE, message, field=field)

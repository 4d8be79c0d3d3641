"""Locks of this app. The order of all locks: docs/locking.md."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from accounts.models import (
    CardBatch,
    CardState,
    JackpotGame,
    OwnBankAccount,
    Person,
    PrepaidCard,
    Receipt,
    Role,
    Till,
    User,
)
from totalizator.core.advisory import LockSpace, lock_exclusive, lock_named, lock_shared


def lock_person(user_id: int) -> User:
    """Lock a person's row until the transaction ends, and return it as it is now."""
    return User.objects.select_for_update(no_key=True).get(pk=user_id)


def lock_organizers() -> frozenset[int]:
    """Lock the rows of the organizer's staff who can log in, in the order of their ids, and return these."""
    rows = User.objects.select_for_update(no_key=True).filter(role=Role.ORGANIZER, is_active=True)
    return frozenset(rows.order_by("pk").values_list("pk", flat=True))


def hold_play_of(person: Person) -> None:
    """Let nobody else bet, pay in, or change what binds the play of this person, until the transaction ends.

    Read what binds it after this. An advisory lock: a bet writes no row of the person's.
    """
    lock_exclusive(LockSpace.PERSON, person.pk)


def hold_number(digest: bytes) -> None:
    """Hold an identity number, by its digest, alone until the transaction ends: one person gets one log-in (R1)."""
    lock_named(LockSpace.IDENTITY_NUMBER, digest.hex())


def hold_number_proposal(number: int) -> None:
    """Hold a proposed value of a dated number alone until the transaction ends: it is approved or taken back."""
    lock_exclusive(LockSpace.NUMBER_PROPOSAL, number)


def lock_card_batch(batch_id: int) -> CardBatch:
    """Lock a batch of cards until the transaction ends, and return it as it is now: it is exported once."""
    return CardBatch.objects.select_for_update(no_key=True).get(pk=batch_id)


def lock_card_numbers() -> None:
    """Let nobody else give out numbers to cards until the transaction ends: a batch's numbers follow one another."""
    lock_exclusive(LockSpace.CARD_NUMBERS, 0)


def lock_cards(cards: QuerySet[PrepaidCard]) -> list[PrepaidCard]:
    """Lock cards until the transaction ends, in the order of their numbers, and return them as they are now.

    A bet, a sale, a block, a replacement, an expiry and a credit of one card happen one after another.
    """
    locked = cards.select_for_update(no_key=True, of=("self",)).select_related("batch", "ledger_account")
    return list(locked.order_by("number"))


def lock_expired_cards(now: datetime, *, limit: int) -> list[PrepaidCard]:
    """Lock up to `limit` cards whose validity is over and that have not expired; leave what another act holds."""
    over = PrepaidCard.objects.select_for_update(no_key=True, of=("self",), skip_locked=True)
    ended = (CardState.EXPIRED, CardState.REPLACED)
    standing = over.select_related("ledger_account").filter(expires_at__lte=now).exclude(state__in=ended)
    return list(standing.order_by("number")[:limit])


def hold_till_shared(till_id: int) -> None:
    """Let no shift of the till be opened or closed, and nothing of it be switched off, until the transaction ends."""
    lock_shared(LockSpace.TILL, till_id)


def hold_till(till_id: int) -> None:
    """Hold a till alone until the transaction ends: waits for sales and payments under way, and lets none in after."""
    lock_exclusive(LockSpace.TILL, till_id)


def hold_tills_of(point_id: int) -> None:
    """Hold every till of a point alone, in the order of their ids."""
    for till_id in Till.objects.filter(point_id=point_id).order_by("pk").values_list("pk", flat=True):
        hold_till(till_id)


def hold_jackpot_shared(game: str) -> None:
    """Let nobody draw the jackpot of `sportloto` or `totolot`, nor end the game, until the transaction ends."""
    lock_shared(LockSpace.JACKPOT, JackpotGame.values.index(game))


def hold_point_cash(point_id: int) -> None:
    """Let nobody else take cash at this point until the transaction ends: its bank's limit is for all its tills."""
    lock_exclusive(LockSpace.POINT_CASH, point_id)


def lock_handover_numbers() -> None:
    """Let nobody else number a handover until the transaction ends: there are no gaps."""
    lock_exclusive(LockSpace.CASH_DOCUMENTS, 0)


def lock_own_account(ibans: Collection[str]) -> list[OwnBankAccount]:
    """Lock the organizer's accounts with these numbers, by id, until the transaction ends: one import at a time."""
    locked = OwnBankAccount.objects.select_for_update(no_key=True).filter(iban__in=ibans)
    return list(locked.order_by("pk"))


def lock_receipt(line_id: int) -> Receipt | None:
    """Lock a receipt until the transaction ends, before anything it may pay for, and return it as it is now."""
    locked = Receipt.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "line__words", "line__statement"
    )
    return locked.filter(pk=line_id).first()

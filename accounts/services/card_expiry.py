"""Cards whose validity is over: what is left on them is moved by an entry, never deleted (D5)."""

from collections.abc import Sequence
from datetime import datetime

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.locks import hold_jackpot_shared, lock_expired_cards
from accounts.models import CardState, JackpotGame, LedgerAccount, PrepaidCard
from accounts.queries.jackpots import heir_of
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

CHUNK = 1_000
# ¶35.2 and ¶38.4 stand in the Totolot part: cards pay for both games, their rest goes to Totolot's jackpot.
_JACKPOT = JackpotGame.TOTOLOT


def expire_cards(*, chunk: int = CHUNK, actor: str = "task:expire_cards") -> int:
    """Expire every card whose validity is over, sold or not; return how many. Run again it finds nothing.

    The rest is players' money: it goes to the jackpot (¶38.4), unless the number in force says the organizer.
    """
    expired = 0
    while moved := _expire_chunk(chunk, actor):
        expired += moved
    return expired


def _expire_chunk(limit: int, actor: str) -> int:
    with one_transaction():
        hold_jackpot_shared(_JACKPOT)
        at = clock.now()
        cards = lock_expired_cards(at, limit=limit)
        if not cards:
            return 0
        transfers = _rests(cards, at)
        post_many(transfers)
        PrepaidCard.objects.filter(pk__in=[card.pk for card in cards]).update(
            state=CardState.EXPIRED, blocked_from="", blocked_by=None
        )
        write_journal(
            at=at,
            actor=actor,
            act="expire_cards",
            subject=f"cards:{cards[0].number}-{cards[-1].number}",
            after={"rows": len(cards), "amount": sum(transfer.movements[0].amount for transfer in transfers)},
        )
    return len(cards)


def _rests(cards: Sequence[PrepaidCard], at: datetime) -> list[NewTransfer]:
    """Return a transfer for each card that has something on it; the locked cards keep their balances."""
    heir = _heir(at)
    rests = [(card, account, balance(account)) for card in cards if (account := card.ledger_account) is not None]
    return [
        NewTransfer(
            key=f"card-expired:{card.number}",
            kind=TransferKind.CARD_EXPIRED,
            occurred_at=at,
            cause=card.subject,
            movements=[Movement(account, heir, rest)],
        )
        for card, account, rest in rests
        if rest
    ]


def _heir(at: datetime) -> LedgerAccount:
    if legal_number("expired_cards_to_jackpot", legal_day(at)):
        return ledger_account(AccountKind.JACKPOT, heir_of(_JACKPOT))
    return ledger_account(AccountKind.ORGANIZER)

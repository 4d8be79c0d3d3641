"""Telling of money as it moves: `post_many` calls it, so no act that pays, expires or adds can forget to (U1).

Stakes are not told here: a bet pays nothing for the outbox. Bets are told from their rows (docs/adr/0008).
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from accounts.ledger.kinds import AccountKind, TransferKind
from totalizator.core.outbox import tell_all
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.outbox_models import PendingEvent

if TYPE_CHECKING:
    from accounts.ledger.models import LedgerAccount
    from accounts.ledger.posting import Movement, NewTransfer

MOST_ITEMS = 500
"""Tickets that one event names at most."""

_BY_TICKET = {
    TransferKind.WINNING_PAID: EventKind.WINNINGS_PAID,
    TransferKind.REFUND_PAID: EventKind.REFUNDS_PAID,
    TransferKind.JACKPOT_UNCLAIMED: EventKind.WINNINGS_EXPIRED,
}
# As they stand in a row: by the hundred thousand a name is looked up slower than a word is compared.
_TAX_DUE, _JACKPOT = AccountKind.TAX_DUE.value, AccountKind.JACKPOT.value
_CASH = {TransferKind.CASH_SENT: EventKind.CASH_SENT, TransferKind.CASH_RECEIVED: EventKind.CASH_RECEIVED}


class _Told(NamedTuple):
    """What is told of one transfer: alike are summed into one event."""

    kind: EventKind
    subject: str
    facts: tuple[tuple[str, Any], ...]
    at: datetime
    amount: int
    item: dict[str, Any] | None = None


def tell_of_money(transfers: "Sequence[NewTransfer]") -> None:
    """Tell of those of the transfers that anybody is told of; sums of alike ones, with their tickets."""
    told = [part for transfer in transfers if transfer.kind != TransferKind.STAKE for part in _parts(transfer)]
    if told:
        tell_all(list(_events(told)))


def _parts(transfer: "NewTransfer") -> Iterator[_Told]:
    if transfer.kind in _BY_TICKET:
        yield from _of_ticket(transfer)
    elif transfer.kind == TransferKind.CARD_SOLD:
        for movement in transfer.movements:
            yield _told(EventKind.CARDS_SOLD, f"till:{movement.debit.owner}", transfer, movement.amount)
    elif transfer.kind in _CASH:
        yield from _of_cash(transfer)
    elif transfer.kind == TransferKind.REVERSAL:
        facts: dict[str, Any] = {"reversed": transfer.reversal_of, "book": transfer.book}
        yield _told(EventKind.MONEY_REVERSED, transfer.cause, transfer, _sum(transfer.movements), **facts)
    yield from _of_jackpot(transfer)


def _of_ticket(transfer: "NewTransfer") -> Iterator[_Told]:
    ticket, pool = transfer.cause.partition(":")[2], transfer.movements[0].debit.owner
    amount, tax = 0, 0
    for movement in transfer.movements:
        amount += movement.amount
        tax += movement.amount if movement.credit.kind == _TAX_DUE else 0
    item = {"ticket": ticket, "amount": amount}
    if transfer.kind != TransferKind.JACKPOT_UNCLAIMED:
        item |= {"tax": tax, "way": transfer.movements[0].credit.kind}
    subject, at = f"pool:{pool}", transfer.occurred_at
    yield _Told(_BY_TICKET[transfer.kind], subject, (), at, amount, item)
    if tax:
        yield _Told(EventKind.TAX_WITHHELD, subject, (), at, tax)


def _of_cash(transfer: "NewTransfer") -> Iterator[_Told]:
    for movement in transfer.movements:
        sent = transfer.kind == TransferKind.CASH_SENT
        end = movement.credit if sent else movement.debit
        yield _told(
            _CASH[TransferKind(transfer.kind)],
            transfer.cause,
            transfer,
            movement.amount,
            place=end.kind,
            till=end.owner,
        )


def _of_jackpot(transfer: "NewTransfer") -> Iterator[_Told]:
    for movement in transfer.movements:
        for account, other, sign in ((movement.credit, movement.debit, 1), (movement.debit, movement.credit, -1)):
            if account.kind == _JACKPOT:
                pool = _pool_of(transfer, other)
                facts: dict[str, Any] = {"cause": str(transfer.kind), "pool": pool}
                subject = f"jackpot:{account.owner}"
                yield _told(EventKind.JACKPOT_MOVED, subject, transfer, sign * movement.amount, **facts)


def _pool_of(transfer: "NewTransfer", other: "LedgerAccount") -> str:
    """Return the pool that moved it; of what a correction moved, the pool of the protocol that its cause names."""
    if not transfer.book:
        return ""
    if transfer.kind == TransferKind.JACKPOT_CORRECTED:
        return transfer.cause.partition(":")[2].rpartition("/")[0]
    return other.owner


def _told(
    kind: EventKind,
    subject: str,
    transfer: "NewTransfer",
    amount: int,
    *,
    item: dict[str, Any] | None = None,
    **facts: Any,
) -> _Told:
    return _Told(kind, subject, tuple(facts.items()), transfer.occurred_at, amount, item)


def _events(told: Sequence[_Told]) -> Iterator[PendingEvent]:
    """Yield one event for what is alike, or several where they would name too many tickets."""
    groups: dict[Any, list[_Told]] = {}
    for part in told:
        groups.setdefault((part.kind, part.subject, part.facts, part.at), []).append(part)
    for (kind, subject, facts, at), parts in groups.items():
        size = MOST_ITEMS if parts[0].item is not None else len(parts)
        for start in range(0, len(parts), size):
            some = parts[start : start + size]
            payload = {**dict(facts), "count": len(some), "amount": sum(part.amount for part in some)}
            items = [part.item for part in some if part.item is not None]
            yield PendingEvent(
                kind=kind, subject=subject, payload=payload | ({"tickets": items} if items else {}), at=at
            )


def _sum(movements: "Sequence[Movement]") -> int:
    return sum(movement.amount for movement in movements)

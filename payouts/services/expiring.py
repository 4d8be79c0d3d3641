"""Winnings that nobody came for in the term go into the jackpot (¶15, ¶17.5, ¶38.2)."""

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.locks import hold_jackpot_shared
from accounts.queries.jackpots import heir_of
from payouts.locks import lock_unclaimed
from payouts.models import PayableState
from payouts.queries.corrections import is_being_corrected
from payouts.queries.disputes import disputed_tickets
from payouts.queries.ticket_claims import claimed_tickets
from payouts.services.paying import settle_payables
from pools.locks import find_pool
from pools.models import Pool, jackpot_owner
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

CHUNK = 1_000


def expire_winnings(*, code: str, chunk: int = CHUNK, actor: str = "task:expire_winnings") -> int:
    """Move the pool's unclaimed winnings to the jackpot, an entry for each ticket; return how many expired.

    Only winnings that had to be come for: an account is credited by the organizer, whose delay costs the player
    nothing. What is claimed as lost waits for the claim's end (K4). Not a moment before the term's end (C57); run
    again it finds nothing.

    :raises DomainError: NOT_FOUND.
    """
    pool, expired = find_pool(code), 0
    while moved := _expire_chunk(pool, chunk, actor):
        expired += moved
    return expired


def _expire_chunk(pool: Pool, limit: int, actor: str) -> int:
    with one_transaction():
        hold_jackpot_shared(jackpot_owner(pool.game))
        if is_being_corrected(pool.pk):
            return 0
        at = clock.now()
        payables = lock_unclaimed(pool, now=at, limit=limit)
        # A new statement, which sees what was claimed while the lock was waited for.
        claimed = claimed_tickets(pool.pk, [payable.ticket for payable in payables])
        claimed |= disputed_tickets(pool.pk, [payable.ticket for payable in payables])
        payables = [payable for payable in payables if payable.ticket not in claimed]
        if not payables:
            return 0
        debt = ledger_account(AccountKind.WINNINGS_DUE, pool.code)
        jackpot = ledger_account(AccountKind.JACKPOT, heir_of(jackpot_owner(pool.game)))
        post_many(
            [
                NewTransfer(
                    book=pool.pk,
                    key=f"{payable.kind}-expired:{payable.ticket}",
                    kind=TransferKind.JACKPOT_UNCLAIMED,
                    occurred_at=at,
                    cause=f"bet:{payable.ticket}",
                    movements=[Movement(debt, jackpot, payable.amount)],
                )
                for payable in payables
            ]
        )
        settle_payables(payables, PayableState.EXPIRED, at=at)
        write_journal(
            at=at,
            actor=actor,
            act="expire_winnings",
            subject=f"pool:{pool.code}",
            after={"rows": len(payables), "amount": sum(payable.amount for payable in payables)},
        )
    return len(payables)

"""The money of a settlement: the jackpot reserved for a pool, and the transfers that empty its pot."""

from datetime import datetime

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post, post_many
from accounts.models import LedgerAccount
from pools.locks import lock_jackpot
from pools.models import Pool, jackpot_owner
from pools.queries.cancelled_bets import stakes_returned
from totalizator.engine.division import JACKPOT
from totalizator.engine.fund import jackpot_drawn
from totalizator.engine.statement import Move, Statement
from totalizator.engine.terms import Terms


class BrokenIdentity(Exception):
    """The sums of a settlement do not agree: nothing of it is committed (I3)."""


def reserve_jackpot(pool: Pool, *, at: datetime, cause: str) -> int:
    """Put the whole jackpot into the pot of a pool that draws it, and return it in kopecks (¶18-20, ¶39).

    What the pool does not pay out goes back when it is settled.
    """
    if not pool.draws_jackpot:
        return 0
    lock_jackpot(pool.game)
    jackpot = _jackpot(pool)
    amount = balance(jackpot)
    if amount:
        post(
            book=pool.pk,
            key="jackpot-in",
            kind=TransferKind.JACKPOT_DRAWN,
            occurred_at=at,
            cause=cause,
            movements=[Movement(jackpot, _pot(pool), amount)],
        )
    return amount


def post_settlement(pool: Pool, statement: Statement, *, at: datetime, cause: str) -> None:
    """Move everything out of the pool's pot: one transfer for each reason.

    The stakes of bets cancelled before have left it already (¶29).

    :raises BrokenIdentity: when the pot is not empty afterwards.
    """
    pot, jackpot = _pot(pool), _jackpot(pool)
    refunds = statement.refunds - stakes_returned(pool)
    top_up = (ledger_account(AccountKind.ORGANIZER), pot, statement.added)
    moves: dict[TransferKind, tuple[LedgerAccount, LedgerAccount, int | None]] = {
        TransferKind.TOP_UP: top_up,
        TransferKind.REFUND: (pot, ledger_account(AccountKind.REFUNDS_DUE, pool.code), refunds),
        TransferKind.TAKEOUT: (pot, ledger_account(AccountKind.TAKEOUT, pool.code), statement.takeout),
        TransferKind.WINNINGS: (pot, ledger_account(AccountKind.WINNINGS_DUE, pool.code), statement.winnings),
    }
    for kind, part in jackpot_parts(pool.terms, statement).items():
        moves[kind] = (pot, jackpot, part)
    post_many(
        [
            NewTransfer(
                book=pool.pk,
                key=f"settle:{kind}",
                kind=kind,
                occurred_at=at,
                cause=cause,
                movements=[Movement(debit, credit, amount)],
            )
            for kind, (debit, credit, amount) in moves.items()
            if amount
        ]
    )
    left = entries_balance(pot, book=pool.pk)
    if left:
        raise BrokenIdentity(f"pool {pool.code}: {left} kopecks are left in the pot")


def jackpot_parts(terms: Terms, statement: Statement) -> dict[TransferKind, int]:
    """Split `jackpot_out` by its sources (¶17.4, ¶38): each is a kind of transfer of its own.

    The drawn jackpot that found no winner is no new money: it goes back as undrawn, and only the pool's own fund
    counts as a fund without winners.

    :raises BrokenIdentity: when they do not add up.
    """
    drawn = 0 if statement.returned else jackpot_drawn(terms, statement.jackpot_in)
    empty = {level.code: _to_jackpot(level.moved, "empty") for level in statement.levels}
    unwon = 0 if terms.jackpot is None else min(drawn, empty[terms.jackpot.level])
    parts = {
        TransferKind.JACKPOT_UNDRAWN: statement.jackpot_in - drawn + unwon,
        TransferKind.JACKPOT_NO_WINNER: sum(empty.values()) - unwon,
        TransferKind.JACKPOT_CAP: sum(_to_jackpot(level.moved, "maximum") for level in statement.levels),
        TransferKind.JACKPOT_REMAINDER: sum(level.remainder or 0 for level in statement.levels),
    }
    if sum(parts.values()) != statement.jackpot_out:
        raise BrokenIdentity(f"pool {terms.pool.code}: {parts} is not {statement.jackpot_out} to the jackpot")
    return parts


def refuse_unbalanced(pool: Pool, statement: Statement) -> None:
    """Check that every kopeck that came in went out, and that what came in is what the pot holds (I3).

    :raises BrokenIdentity: when it is not so.
    """
    pot, returned = entries_balance(_pot(pool), book=pool.pk), stakes_returned(pool)
    if statement.balance != 0 or statement.carried or pot + returned != statement.turnover + statement.jackpot_in:
        raise BrokenIdentity(
            f"pool {pool.code}: balance {statement.balance}, carried {dict(statement.carried)}, {pot} in the pot and"
            f" {returned} returned for a turnover of {statement.turnover} and a jackpot of {statement.jackpot_in}"
        )


def _to_jackpot(moved: tuple[Move, ...], why: str) -> int:
    return sum(move.amount for move in moved if move.to == JACKPOT and move.why == why)


def _pot(pool: Pool) -> LedgerAccount:
    return ledger_account(AccountKind.POOL_POT, pool.code)


def _jackpot(pool: Pool) -> LedgerAccount:
    return ledger_account(AccountKind.JACKPOT, jackpot_owner(pool.game))

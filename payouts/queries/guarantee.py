"""The daily guarantee sum: everything that players could ask for, against what lies in the bank (F3).

Each part is computed from its own rows, and again from the ledger: the two must agree, to the kopeck.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from accounts.ledger.balances import trial_balance
from accounts.ledger.kinds import AccountKind

# Pools whose stakes are still in play: of the others the pot is empty.
_UNDETERMINED = "p.state NOT IN ('settled', 'archived', 'cancelled')"

_ACCOUNTS = "SELECT COALESCE(sum(credits - debits), 0) FROM accounts_ledgeraccount WHERE kind = '{kind}'"
_OF_UNBOOKED = """
(SELECT COALESCE(sum((s.statement_text::jsonb ->> '{figure}')::bigint), 0) FROM pools_settlement s
 WHERE s.state = 'official' AND NOT EXISTS (SELECT FROM payouts_booking g WHERE g.pool_id = s.pool_id))
"""
# The stake of a bet cancelled before the settlement has left the pot, and is a payable of its own (¶29).
_RETURNED = """EXISTS (SELECT FROM pools_betcancellation x
 WHERE x.pool_id = b.pool_id AND x.ticket = b.ticket AND x.cancelled_when = 'before')"""
_DUE = "(SELECT COALESCE(sum(amount), 0) FROM payouts_payable WHERE state = 'due' AND kind {which} 'refund')"
_RETURNED_OF_UNBOOKED = """
(SELECT COALESCE(sum(x.stake), 0) FROM pools_betcancellation x
 JOIN pools_settlement s ON s.pool_id = x.pool_id AND s.state = 'official'
 WHERE x.cancelled_when = 'before'
   AND NOT EXISTS (SELECT FROM payouts_booking g WHERE g.pool_id = x.pool_id))
"""
_OF_CANCELLED = f"""
(SELECT COALESCE(sum(b.stake), 0) FROM pools_bet b JOIN pools_cancellation c ON c.pool_id = b.pool_id
 WHERE NOT EXISTS (SELECT FROM payouts_booking g WHERE g.pool_id = b.pool_id) AND NOT {_RETURNED})
"""

_COMPUTED: Mapping[AccountKind, str] = {
    AccountKind.GAME_ACCOUNT: _ACCOUNTS.format(kind="game_account"),
    AccountKind.PREPAID_CARD: _ACCOUNTS.format(kind="prepaid_card"),
    AccountKind.WITHDRAWALS_DUE: """
        SELECT COALESCE(sum(amount), 0) FROM accounts_withdrawal
        WHERE state IN ('requested', 'approved', 'unknown', 'sent')""",
    AccountKind.ORDERS_DUE: """
        SELECT COALESCE(sum(amount), 0) FROM accounts_paymentorder
        WHERE withdrawal_id IS NULL AND state IN ('drawn_up', 'exported', 'returned')""",
    AccountKind.HELD_DEPOSITS: "SELECT COALESCE(sum(amount), 0) FROM accounts_helddeposit WHERE state = 'held'",
    AccountKind.BANK_SUSPENSE: "SELECT COALESCE(sum(open_amount), 0) FROM accounts_receipt",
    AccountKind.POOL_POT: f"""
        SELECT (SELECT COALESCE(sum(b.stake), 0) FROM pools_bet b JOIN pools_pool p ON p.id = b.pool_id
                WHERE {_UNDETERMINED} AND NOT {_RETURNED})
             + (SELECT COALESCE(sum(s.jackpot_in), 0) FROM pools_settlement s JOIN pools_pool p ON p.id = s.pool_id
                WHERE {_UNDETERMINED})""",
    AccountKind.WINNINGS_DUE: f"SELECT {_DUE.format(which='<>')} + {_OF_UNBOOKED.format(figure='winnings')}",
    AccountKind.REFUNDS_DUE: f"""
        SELECT {_DUE.format(which="=")} + {_OF_UNBOOKED.format(figure="refunds")} + {_OF_CANCELLED}
             - {_RETURNED_OF_UNBOOKED}""",
    AccountKind.JACKPOT: """
        SELECT COALESCE(sum(CASE WHEN c.kind = 'jackpot' THEN e.amount ELSE 0 END)
                      - sum(CASE WHEN d.kind = 'jackpot' THEN e.amount ELSE 0 END), 0)
        FROM accounts_entry e JOIN accounts_ledgeraccount d ON d.id = e.debit_id
        JOIN accounts_ledgeraccount c ON c.id = e.credit_id
        WHERE 'jackpot' IN (c.kind, d.kind)""",
}
_ELSEWHERE = (
    AccountKind.TILL,
    AccountKind.CASH_DESK,
    AccountKind.CASH_IN_TRANSIT,
    AccountKind.AT_PROVIDER,
)


@dataclass(frozen=True, slots=True)
class GuaranteePart:
    """One kind of debt to players, in kopecks: from its own rows, and from the ledger."""

    computed: int
    ledger: int


@dataclass(frozen=True, slots=True)
class Guarantee:
    """All debts, and the money that stands for them; `elsewhere` is on its way to the bank: tills, payment systems."""

    parts: Mapping[AccountKind, GuaranteePart]
    in_bank: int
    elsewhere: int

    @property
    def required(self) -> int:
        """What must lie in the bank: the larger of the two sums, part by part."""
        return sum(max(part.computed, part.ledger) for part in self.parts.values())

    @property
    def shortfall(self) -> int:
        """By how much the bank falls short."""
        return max(0, self.required - self.in_bank)

    @property
    def differing(self) -> list[AccountKind]:
        """The debts of which rows and ledger say different things."""
        return [kind for kind, part in self.parts.items() if part.computed != part.ledger]


def guarantee_sum() -> Guarantee:
    """Return the guarantee sum as it is now; read it in one snapshot (`payouts.services.guarantee`)."""
    ledger = trial_balance()
    with connection.cursor() as cursor:
        computed = {}
        for kind, sql in _COMPUTED.items():
            cursor.execute(sql)
            (total,) = cursor.fetchone()
            computed[kind] = int(total)
    return Guarantee(
        parts={kind: GuaranteePart(total, -ledger.get(kind, 0)) for kind, total in computed.items()},
        in_bank=ledger.get(AccountKind.BANK, 0),
        elsewhere=sum(ledger.get(kind, 0) for kind in _ELSEWHERE),
    )

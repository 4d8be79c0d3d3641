"""What is owed to players at the end of a day: open stakes, unpaid winnings, cards, accounts, jackpots (N2)."""

from collections.abc import Sequence

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, count, rows_of

# The debts of the guarantee sum (F3), in the order of the report.
DEBTS = (
    AccountKind.POOL_POT,
    AccountKind.WINNINGS_DUE,
    AccountKind.REFUNDS_DUE,
    AccountKind.GAME_ACCOUNT,
    AccountKind.PREPAID_CARD,
    AccountKind.WITHDRAWALS_DUE,
    AccountKind.ORDERS_DUE,
    AccountKind.HELD_DEPOSITS,
    AccountKind.BANK_SUSPENSE,
    AccountKind.JACKPOT,
)
# Whose accounts are told one by one; players and cards are told together.
_BY_OWNER = (AccountKind.POOL_POT, AccountKind.WINNINGS_DUE, AccountKind.REFUNDS_DUE, AccountKind.JACKPOT)

_OWED = """
WITH changes AS (
    SELECT e.credit_id AS account, e.amount FROM accounts_entry e JOIN accounts_transfer t USING (book, key)
    WHERE t.occurred_at < %(until)s
    UNION ALL
    SELECT e.debit_id, -e.amount FROM accounts_entry e JOIN accounts_transfer t USING (book, key)
    WHERE t.occurred_at < %(until)s
), balances AS (
    SELECT a.kind, a.owner, sum(c.amount)::bigint AS amount
    FROM changes c JOIN accounts_ledgeraccount a ON a.id = c.account
    WHERE a.kind = ANY(%(debts)s) GROUP BY a.kind, a.owner HAVING sum(c.amount) <> 0
)
SELECT kind, CASE WHEN kind = ANY(%(by_owner)s) THEN owner ELSE '' END, count(*), sum(amount)::bigint
FROM balances GROUP BY 1, 2 ORDER BY array_position(%(debts)s, kind::text), 2
"""


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    lists = {"debts": [str(kind) for kind in DEBTS], "by_owner": [str(kind) for kind in _BY_OWNER]}
    return [
        (capfirst(str(AccountKind(str(kind)).label)), owner, number, owed)
        for kind, owner, number, owed in rows_of(_OWED, {**asked.parameters(), **lists})
    ]


LIABILITIES = ReportKind(
    name="liabilities",
    title=_("What is owed to players at the end of the period"),
    columns=(
        ReportColumn("debt", _("Debt")),
        ReportColumn("whose", _("Pool or jackpot")),
        count("accounts", _("Accounts")),
        amount("owed", _("Owed")),
    ),
    find=_find,
)

"""Where the jackpots' money came from and went, each source by itself (¶17, ¶38, J1)."""

from collections.abc import Sequence
from itertools import groupby

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import TransferKind
from payouts.queries.jackpot import JACKPOTS
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, count, rows_of

_SOURCES = """
SELECT a.owner, CASE WHEN t.occurred_at < %(since)s THEN '' ELSE t.kind END, count(DISTINCT (t.book, t.key)),
       COALESCE(sum(e.amount) FILTER (WHERE e.credit_id = a.id), 0)::bigint,
       COALESCE(sum(e.amount) FILTER (WHERE e.debit_id = a.id), 0)::bigint
FROM accounts_ledgeraccount a JOIN accounts_entry e ON a.id IN (e.credit_id, e.debit_id)
JOIN accounts_transfer t USING (book, key)
WHERE a.kind = 'jackpot' AND t.occurred_at < %(until)s
GROUP BY 1, 2 ORDER BY 1, 2
"""


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    found = {owner: list(rows) for owner, rows in groupby(rows_of(_SOURCES, asked.parameters()), lambda row: row[0])}
    return [row for owner in JACKPOTS for row in _of_one(owner, found.get(owner, []))]


def _of_one(owner: str, found: Sequence[Sequence[Cell]]) -> Sequence[Sequence[Cell]]:
    opening = sum(int(came) - int(went) for _owner, kind, _number, came, went in found if not kind)
    moved = [row for row in found if row[1]]
    closing = opening + sum(int(came) - int(went) for _owner, _kind, _number, came, went in moved)
    return [
        (owner, str(_("Opening balance")), 0, 0, 0, opening),
        *(
            (owner, capfirst(str(TransferKind(str(kind)).label)), number, came, went, int(came) - int(went))
            for _owner, kind, number, came, went in moved
        ),
        (owner, str(_("Closing balance")), 0, 0, 0, closing),
    ]


JACKPOT_SOURCES = ReportKind(
    name="jackpots",
    title=_("The jackpots' sources"),
    columns=(
        ReportColumn("jackpot", _("Jackpot")),
        ReportColumn("source", _("Source")),
        count("transfers", _("Transfers")),
        amount("came_in", _("Came in")),
        amount("went_out", _("Went out")),
        amount("balance", _("Balance or change"), summed=False),
    ),
    find=_find,
)

"""The statement of a game account, for its owner: on sheets of A4, and as a table for spreadsheets (E4, N5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from totalizator.core.csv_text import csv_bytes
from totalizator.core.money import format_byn
from totalizator.core.pdf_blocks import Column, facts, figures, space, table
from totalizator.core.pdf_page import PageFrame, Strip, render_pages


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One entry; amounts in kopecks, `when` written for people, `cause` in words."""

    when: str
    what: str
    cause: str
    change: int
    tax: int
    balance: int


@dataclass(frozen=True, slots=True)
class StatementFacts:
    """All that a statement shows. `totals` are sums by what happened."""

    operator: str
    account: str
    holder: str
    first: str
    last: str
    opening: int
    rows: Sequence[StatementRow]
    totals: Sequence[tuple[str, int]]
    closing: int
    tax: int
    made: str
    version: str


def render_statement(statement: StatementFacts) -> bytes:
    """Return the statement as a PDF, in the language that is active; same facts, same bytes."""
    frame = PageFrame(
        operator=statement.operator,
        title=_("Statement of game account %(account)s") % {"account": statement.account},
        period=_period(statement),
        made=statement.made,
        version=statement.version,
    )
    return render_pages(frame, list(_strips(statement)))


def statement_csv(statement: StatementFacts) -> bytes:
    """Return the statement as CSV, in the language that is active: the balances are its first and its last row."""
    heading = [_("When"), _("What"), _("Cause"), _("Change"), _("Tax withheld"), _("Balance")]
    rows: list[list[str | int]] = [[*heading]]
    rows.append([statement.first, _("Opening balance"), "", 0, 0, statement.opening])
    rows += [[row.when, row.what, row.cause, row.change, row.tax, row.balance] for row in statement.rows]
    rows.append([statement.last, _("Closing balance"), "", 0, 0, statement.closing])
    return csv_bytes(rows)


def _period(statement: StatementFacts) -> str:
    return _("from %(first)s to %(last)s") % {"first": statement.first, "last": statement.last}


def _strips(statement: StatementFacts) -> Iterator[Strip]:
    change = statement.closing - statement.opening
    yield figures(
        [
            (_("Opening balance"), format_byn(statement.opening)),
            (_("Change"), format_byn(change)),
            (_("Closing balance"), format_byn(statement.closing)),
        ]
    )
    yield space(4)
    rows = [(_("Account holder"), statement.holder)]
    rows += [(name, format_byn(amount)) for name, amount in statement.totals]
    if statement.tax:
        rows.append((_("Income tax withheld"), format_byn(statement.tax)))
    yield from facts(rows)
    yield space(8)
    columns = [
        Column(_("When"), 17),
        Column(_("What"), 20),
        Column(_("Cause"), 33),
        Column(_("Change"), 15, right=True),
        Column(_("Balance"), 15, right=True),
    ]
    yield from table(
        columns,
        [_cells(row) for row in statement.rows],
        totals=["", _("Closing balance"), "", format_byn(change), format_byn(statement.closing)],
        nothing=_("No activity in this period."),
    )


def _cells(row: StatementRow) -> Sequence[str]:
    cause = row.cause
    if row.tax:
        withheld = _("%(gross)s less tax of %(tax)s") % {
            "gross": format_byn(row.change + row.tax),
            "tax": format_byn(row.tax),
        }
        cause = f"{cause}\n{withheld}" if cause else withheld
    return [row.when, row.what, cause, format_byn(row.change), format_byn(row.balance)]

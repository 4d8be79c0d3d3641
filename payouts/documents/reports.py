"""A report as a PDF, as a table for spreadsheets, and as JSON: the same report gives the same bytes (N5)."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from payouts.queries.reports.shape import Cell, Holds, Report, ReportColumn
from totalizator.core.csv_text import csv_bytes
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn, plain_byn
from totalizator.core.pdf_blocks import Column, facts, space, table
from totalizator.core.pdf_page import PageFrame, Strip, render_pages
from totalizator.engine.canonical import canonical_json

MEDIA_TYPES = {"pdf": "application/pdf", "csv": "text/csv", "json": "application/json"}
# A sheet has room for so many columns of figures: more are written one under another.
_COLUMNS_OF_FIGURES = 4
_PARTS_OF_TEXT, _PARTS_OF_FIGURES = 60, 29


def report_pdf(report: Report) -> bytes:
    """Return the report on sheets of A4, in the language that is active."""
    frame = PageFrame(
        operator=settings.OPERATOR_NAME,
        title=str(report.kind.title),
        period=_period(report),
        made=_made(report),
        version=report.version,
    )
    return render_pages(frame, list(_strips(report)))


def report_csv(report: Report) -> bytes:
    """Return the report as CSV, in the language that is active: what it is of, an empty line, the table, the totals."""
    rows: list[Sequence[str | int]] = [[name, value] for name, value in about(report)]
    rows += [[], [str(column.title) for column in report.kind.columns]]
    rows += [_table_row(report.kind.columns, row) for row in report.rows]
    if not report.rows:
        rows.append([nothing_happened()])
    rows.append(_table_row(report.kind.columns, totals_row(report)))
    return csv_bytes(rows)


def report_json(report: Report) -> bytes:
    """Return the report as canonical JSON: amounts are text in BYN, names are the same in every language."""
    columns = report.kind.columns
    holds = {column.name: column.holds for column in columns}
    return canonical_json(
        {
            "report": report.kind.name,
            "title": str(report.kind.title),
            "operator": settings.OPERATOR_NAME,
            "first": report.asked.first.isoformat(),
            "last": report.asked.last.isoformat(),
            "filters": dict(report.asked.filters),
            "generated_at": report.generated_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "version": report.version,
            "release": report.release,
            "columns": [
                {"name": column.name, "title": str(column.title), "holds": str(column.holds)} for column in columns
            ],
            "rows": [
                {column.name: _plain(cell, column.holds) for column, cell in zip(columns, row, strict=True)}
                for row in report.rows
            ],
            "totals": {name: _plain(total, holds[name]) for name, total in report.totals.items()},
        }
    )


WRITERS = {"pdf": report_pdf, "csv": report_csv, "json": report_json}


def _strips(report: Report) -> Iterator[Strip]:
    yield from facts([*about(report)[3:], (_("Amounts"), "BYN")])
    yield space(8)
    columns = report.kind.columns
    texts = [place for place, column in enumerate(columns) if column.holds == Holds.TEXT]
    figures = _stacked([place for place, column in enumerate(columns) if column.holds != Holds.TEXT])

    def lines(places: Sequence[int], cells: Sequence[Cell]) -> str:
        written = [shown(cells[place], columns[place]) for place in places]
        return "\n".join(written if places is not texts else [line for line in written if line])

    def cells_of(row: Sequence[Cell]) -> list[str]:
        return [lines(places, row) for places in (texts, *figures)]

    yield from table(
        [
            Column("\n".join(str(columns[place].title) for place in texts), _PARTS_OF_TEXT),
            *(
                Column("\n".join(str(columns[place].title) for place in places), _PARTS_OF_FIGURES, right=True)
                for places in figures
            ),
        ],
        [cells_of(row) for row in report.rows],
        totals=cells_of(totals_row(report)) if report.totals else (),
        nothing=nothing_happened(),
    )


def _stacked(places: Sequence[int]) -> list[list[int]]:
    """Part the columns of figures into as many stacks as a sheet has room for."""
    height = -(-len(places) // _COLUMNS_OF_FIGURES)
    return [list(places[start : start + height]) for start in range(0, len(places), height)] if places else []


def about(report: Report) -> list[tuple[str, str]]:
    """Return what stands above the table: who made which report of what, when and by which software."""
    chosen = ", ".join(f"{name}: {value}" for name, value in sorted(report.asked.filters.items()))
    return [
        (_("Operator"), settings.OPERATOR_NAME),
        (_("Report"), str(report.kind.title)),
        (_("Period"), _period(report)),
        (_("Limited to"), chosen or _("nothing: everything is in it")),
        (_("Made"), _made(report)),
        (_("Software"), f"{report.version} ({report.release})"),
    ]


def _period(report: Report) -> str:
    days = {"first": report.asked.first.strftime("%d.%m.%Y"), "last": report.asked.last.strftime("%d.%m.%Y")}
    return _("from %(first)s to %(last)s") % days


def _made(report: Report) -> str:
    return _("Made %(time)s, Minsk time") % {"time": local_text(report.generated_at, with_seconds=True)}


def nothing_happened() -> str:
    """Return what a report of nothing says."""
    return _("No activity in this period.")


def totals_row(report: Report) -> list[Cell]:
    """Return the totals under their columns, after the word for them."""
    row: list[Cell] = [report.totals.get(column.name, "") for column in report.kind.columns]
    row[0] = _("Total")
    return row


def _table_row(columns: Sequence[ReportColumn], row: Sequence[Cell]) -> list[str | int]:
    return [str(cell) if column.holds == Holds.COUNT else cell for column, cell in zip(columns, row, strict=True)]


def _plain(cell: Cell, holds: Holds) -> Any:
    return plain_byn(cell) if holds == Holds.AMOUNT and isinstance(cell, int) else cell


def shown(cell: Cell, column: ReportColumn) -> str:
    """Return a cell as people read it; amounts are in BYN without naming it."""
    if isinstance(cell, str) or column.holds == Holds.COUNT:
        return str(cell)
    return format_byn(cell).replace("BYN", "").strip("\u00a0")

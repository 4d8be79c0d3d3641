"""Statements as a CSV table: `;` between, a decimal comma, a heading that names the columns in Russian or English."""

import csv
from collections.abc import Mapping
from io import StringIO

from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.entries import (
    LONGEST_NAME,
    LONGEST_PURPOSE,
    LONGEST_REFERENCE,
    ParsedStatement,
    StatementEntry,
    fault,
    read_amount,
    read_date,
    read_text,
    refuse_other_currency,
)

# Column → the headings it may have, in small letters, ё as е.
_HEADINGS: Mapping[str, frozenset[str]] = {
    "account": frozenset({"счет", "account"}),
    "date": frozenset({"дата", "дата операции", "date"}),
    "reference": frozenset({"референс", "reference"}),
    "document": frozenset({"номер документа", "document"}),
    "debit": frozenset({"дебет", "debit"}),
    "credit": frozenset({"кредит", "credit"}),
    "currency": frozenset({"валюта", "currency"}),
    "party": frozenset({"корреспондент", "counterparty"}),
    "party_account": frozenset({"счет корреспондента", "counterparty account"}),
    "party_bank": frozenset({"банк корреспондента", "counterparty bank"}),
    "purpose": frozenset({"назначение платежа", "purpose"}),
}
_NEEDED = ("account", "date", "debit", "credit", "currency", "purpose")


def read_csv_table(text: str) -> list[ParsedStatement]:
    """Return one statement for each account in the table, without balances.

    :raises DomainError: BAD_VALUE naming the line and the column.
    """
    rows = csv.reader(StringIO(text, newline=""), delimiter=";", strict=True)
    by_account: dict[str, list[StatementEntry]] = {}
    columns: list[str | None] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not columns:
                columns = _columns(row, rows.line_num)
                continue
            cells = _cells(columns, row, rows.line_num)
            account = _text(cells, "account", LONGEST_REFERENCE, rows.line_num).replace(" ", "").upper()
            by_account.setdefault(account, []).append(_entry(cells, rows.line_num))
    except csv.Error as refusal:
        raise fault(rows.line_num, "CSV", _("the line cannot be read.")) from refusal
    if not by_account:
        raise fault(rows.line_num, "CSV", _("the file has no statement."))
    return [ParsedStatement(2, account, "", None, None, entries) for account, entries in by_account.items()]


def _columns(heading: list[str], line: int) -> list[str | None]:
    """Return the name of each column; one that is not known has none."""
    spelled = [" ".join(cell.lower().replace("ё", "е").split()) for cell in heading]
    columns = [next((name for name, words in _HEADINGS.items() if cell in words), None) for cell in spelled]
    for name in _NEEDED:
        if columns.count(name) != 1:
            raise fault(line, name, _("the heading must name this column once."))
    return columns


def _cells(columns: list[str | None], row: list[str], line: int) -> dict[str, str]:
    if len(row) != len(columns):
        raise fault(line, "CSV", _("the line has another number of cells than the heading."))
    return {name: cell for name, cell in zip(columns, row, strict=True) if name is not None}


def _entry(cells: Mapping[str, str], line: int) -> StatementEntry:
    refuse_other_currency(cells["currency"], line, "currency")
    if not cells["account"].strip():
        raise fault(line, "account", _("the account is missing."))
    debit = read_amount(cells["debit"], line, "debit") if cells["debit"].strip() else 0
    credit = read_amount(cells["credit"], line, "credit") if cells["credit"].strip() else 0
    if bool(debit) == bool(credit):
        raise fault(line, "credit", _("a line has either a debit or a credit."))
    return StatementEntry(
        line=line,
        booked_on=read_date(cells["date"], line, "date"),
        is_credit=bool(credit),
        amount=credit or debit,
        bank_reference=_text(cells, "reference", LONGEST_REFERENCE, line),
        end_to_end_id=_text(cells, "document", LONGEST_REFERENCE, line),
        party_name=_text(cells, "party", LONGEST_NAME, line),
        party_account=_text(cells, "party_account", LONGEST_REFERENCE, line).replace(" ", ""),
        party_bank=_text(cells, "party_bank", LONGEST_REFERENCE, line),
        purpose=_text(cells, "purpose", LONGEST_PURPOSE, line),
    )


def _text(cells: Mapping[str, str], name: str, most: int, line: int) -> str:
    return read_text(cells.get(name, ""), most, line, name)

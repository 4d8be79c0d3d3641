"""The post's register of the remittances that it has paid by one line: a CSV table, headed in Russian or English."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.entries import (
    LONGEST_PURPOSE,
    fault,
    read_amount,
    read_text,
)

_LONGEST_NUMBER, _LONGEST_SENDER, _LONGEST_ADDRESS = 40, 140, 200
# Column → the headings it may have, in small letters, ё as е.
_HEADINGS: Mapping[str, frozenset[str]] = {
    "register": frozenset({"реестр", "номер реестра", "register"}),
    "number": frozenset({"номер перевода", "remittance"}),
    "sender": frozenset({"отправитель", "sender"}),
    "address": frozenset({"адрес отправителя", "адрес", "sender address"}),
    "amount": frozenset({"сумма", "amount"}),
    "purpose": frozenset({"сообщение", "назначение платежа", "purpose"}),
}


@dataclass(frozen=True, slots=True)
class Remittance:
    """One postal transfer: `amount` kopecks above zero, `line` of the file, `purpose` as the sender wrote it."""

    line: int
    number: str
    sender: str
    address: str
    amount: int
    purpose: str


@dataclass(frozen=True, slots=True)
class ParsedRegister:
    """A register, each remittance in it once."""

    number: str
    remittances: Sequence[Remittance]

    @property
    def total(self) -> int:
        """What the post has paid by one line, in kopecks."""
        return sum(remittance.amount for remittance in self.remittances)


def read_postal_register(text: str) -> ParsedRegister:
    """Read one register.

    :raises DomainError: BAD_VALUE naming the line and the column: for a column that is missing, another register's
        number, a remittance that stands twice, no sender, no amount.
    """
    rows = csv.reader(StringIO(text, newline=""), delimiter=";", strict=True)
    columns: list[str | None] = []
    register = ""
    remittances: dict[str, Remittance] = {}
    try:
        for row in rows:
            line = rows.line_num
            if not any(cell.strip() for cell in row):
                continue
            if not columns:
                columns = _columns(row, line)
                continue
            if len(row) != len(columns):
                raise fault(line, "CSV", _("the line has another number of cells than the heading."))
            cells = {name: cell for name, cell in zip(columns, row, strict=True) if name is not None}
            number = _needed(cells, "register", _LONGEST_NUMBER, line)
            if register and number != register:
                raise fault(line, "register", _("a file holds one register."))
            register, remittance = number, _remittance(cells, line)
            if remittance.number in remittances:
                raise fault(line, "number", _("this remittance stands in the register already."))
            remittances[remittance.number] = remittance
    except csv.Error as refusal:
        raise fault(rows.line_num, "CSV", _("the line cannot be read.")) from refusal
    if not remittances:
        raise fault(rows.line_num, "CSV", _("the register is empty."))
    return ParsedRegister(register, list(remittances.values()))


def _columns(heading: Sequence[str], line: int) -> list[str | None]:
    """Return the name of each column; one that is not known has none."""
    spelled = [" ".join(cell.lower().replace("ё", "е").split()) for cell in heading]
    columns = [next((name for name, words in _HEADINGS.items() if cell in words), None) for cell in spelled]
    for name in _HEADINGS:
        if columns.count(name) != 1:
            raise fault(line, name, _("the heading must name this column once."))
    return columns


def _remittance(cells: Mapping[str, str], line: int) -> Remittance:
    amount = read_amount(cells["amount"], line, "amount")
    if not amount:
        raise fault(line, "amount", _("this is no amount."))
    return Remittance(
        line=line,
        number=_needed(cells, "number", _LONGEST_NUMBER, line),
        sender=_needed(cells, "sender", _LONGEST_SENDER, line),
        address=_needed(cells, "address", _LONGEST_ADDRESS, line),
        amount=amount,
        purpose=read_text(cells["purpose"], LONGEST_PURPOSE, line, "purpose"),
    )


def _needed(cells: Mapping[str, str], name: str, most: int, line: int) -> str:
    text = read_text(cells[name], most, line, name)
    if not text:
        raise fault(line, name, _("this is missing."))
    return text

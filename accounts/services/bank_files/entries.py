"""What every kind of bank file is read into, and how a fault in one is told: by its line and its field."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import MAX_KOPECKS

CURRENCY = "BYN"
LONGEST_NAME, LONGEST_REFERENCE, LONGEST_PURPOSE = 200, 80, 4_000
_AMOUNT = re.compile(r"(\d{1,15})(?:[.,](\d{0,6}))?", re.ASCII)
_DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y")


@dataclass(frozen=True, slots=True)
class StatementEntry:
    """One booked movement of the organizer's bank account, `amount` kopecks above zero.

    `line` is where it stands in the file. The other party paid a credit and was paid by a debit; what the bank does
    not say is empty.
    """

    line: int
    booked_on: date
    is_credit: bool
    amount: int
    bank_reference: str
    end_to_end_id: str
    party_name: str
    party_account: str
    party_bank: str
    purpose: str


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """One statement of one account; the balances in kopecks where the file states them."""

    line: int
    account: str
    number: str
    opening: int | None
    closing: int | None
    entries: Sequence[StatementEntry]


def fault(line: int, element: str, message: str | Promise) -> DomainError:
    """Return the refusal of a file for what stands in `line` under `element`."""
    words = {"line": line, "element": element, "message": message}
    return DomainError(
        Refusal.BAD_VALUE,
        _("Line %(line)s, %(element)s: %(message)s") % words,
        field="file",
        line=line,
        element=element,
    )


def read_amount(text: str, line: int, element: str) -> int:
    """Read an amount of BYN, such as `12.5`, `1 234,56` or `100,`, as kopecks; it may be 0.

    :raises DomainError: BAD_VALUE naming the place, also for a part of a kopeck.
    """
    found = _AMOUNT.fullmatch("".join(text.split()))
    if found is None:
        raise fault(line, element, _("this is no amount."))
    whole, part = found.group(1), (found.group(2) or "").ljust(2, "0")
    kopecks = int(whole) * 100 + int(part[:2])
    if int(part[2:] or 0) or kopecks > MAX_KOPECKS:
        raise fault(line, element, _("this is no amount of whole kopecks."))
    return kopecks


def read_date(text: str, line: int, element: str) -> date:
    """Read `2026-11-30` or `30.11.2026`; :raises DomainError: BAD_VALUE naming the place."""
    for form in _DATE_FORMATS:
        try:
            return datetime.strptime(text.strip(), form).date()  # noqa: DTZ007 a day has no zone
        except ValueError:
            continue
    raise fault(line, element, _("this is no date."))


def read_text(text: str, most: int, line: int, element: str) -> str:
    """Return the words of a text in one line, without control characters.

    :raises DomainError: BAD_VALUE naming the place, for more than `most` characters: nothing is cut off silently.
    """
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if len(words) > most:
        raise fault(line, element, _("this text is too long."))
    return words


def refuse_other_currency(code: str, line: int, element: str) -> None:
    """Refuse an account or an amount that is not in BYN (D-5)."""
    if code.strip().upper() != CURRENCY:
        raise fault(line, element, _("only accounts in BYN can be read."))


def checked(statement: ParsedStatement) -> ParsedStatement:
    """Return the statement if its movements lead from the one balance to the other.

    :raises DomainError: BAD_VALUE when a movement is missing, or stands twice.
    """
    if statement.opening is not None and statement.closing is not None:
        moved = sum(entry.amount if entry.is_credit else -entry.amount for entry in statement.entries)
        if statement.opening + moved != statement.closing:
            message = _("the movements do not lead from the opening to the closing balance.")
            raise fault(statement.line, "balance", message)
    return statement

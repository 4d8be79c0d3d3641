"""SWIFT MT940, by the library of that name; its faults are found and placed before it is asked for the whole."""

import logging
import re
from datetime import date
from decimal import Decimal
from io import StringIO
from typing import Any

import mt940
from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.entries import (
    LONGEST_NAME,
    LONGEST_PURPOSE,
    LONGEST_REFERENCE,
    ParsedStatement,
    StatementEntry,
    checked,
    fault,
    read_amount,
    read_text,
    refuse_other_currency,
)

_TAG = re.compile(r"^:(?P<tag>[0-9]{2}[A-Z]?|NS):", re.MULTILINE)
_NO_REFERENCE = "NONREF"
_IBAN = re.compile(r"\b[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\b")
# What must be readable: the balances and the statement lines.
_STRICT = {"60F", "60M", "61", "62F", "62M"}
_OPTIONS = mt940.Options.all()
# The library logs what it could not match: somebody's name, account and purpose.
logging.getLogger("mt940").setLevel(logging.CRITICAL)


class _WholeAccount(mt940.tags.AccountIdentification):
    """Keeps all of :25:, where the library cuts off what exceeds SWIFT's 35 characters: bank and IBAN together do."""

    pattern = r"(?P<account_identification>.*)"


_TAGS: dict[int | str, mt940.tags.Tag] = {_WholeAccount.id: _WholeAccount()}


def read_mt940(text: str) -> list[ParsedStatement]:
    """Return the statements of an MT940 file.

    :raises DomainError: BAD_VALUE naming the line and the tag.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head, *blocks = re.split(r"(?m)^(?=:20:)", text)
    statements, first_line = [], head.count("\n") + 1
    for block in blocks:
        statements.append(checked(_statement(block, first_line)))
        first_line += block.count("\n")
    if not statements:
        raise fault(1, ":20:", _("the file has no statement."))
    return statements


def _statement(block: str, first_line: int) -> ParsedStatement:
    places = _places(block, first_line)
    try:
        # A handle, because the library takes a text that names a file for that file.
        (parsed,) = mt940.parse_statements(StringIO(block), tags=_TAGS, options=_OPTIONS)
    except Exception as refusal:  # the library names no exceptions of its own
        raise fault(first_line, ":20:", _("the statement cannot be read.")) from refusal
    if len(parsed) != len(places):
        raise fault(first_line, ":61:", _("the statement cannot be read."))
    account = str(parsed.data.get("account_identification") or "")
    if not account.strip():
        raise fault(first_line, ":25:", _("the account is missing."))
    refuse_other_currency(parsed.currency or "", first_line, ":60F:")
    found = _IBAN.search(account.replace(" ", ""))
    return ParsedStatement(
        line=first_line,
        account=read_text(found.group() if found else account, LONGEST_REFERENCE, first_line, ":25:"),
        number=read_text(str(parsed.data.get("statement_number") or ""), LONGEST_REFERENCE, first_line, ":28C:"),
        opening=_balance(parsed.data, "opening", first_line),
        closing=_balance(parsed.data, "closing", first_line),
        entries=[
            entry for line, one in zip(places, parsed, strict=True) if (entry := _entry(one.data, line)) is not None
        ],
    )


def _places(block: str, first_line: int) -> list[int]:
    """Return the line of each :61:, once every tag that money depends on is known to be readable."""
    found, places = list(_TAG.finditer(block)), []
    for match, following in zip(found, [*found[1:], None], strict=True):
        tag = match["tag"]
        if tag not in _STRICT:
            continue
        line = first_line + block.count("\n", 0, match.start())
        value = block[match.end() : following.start() if following else len(block)].strip()
        pattern = mt940.tags.TAG_BY_ID[int(tag) if tag.isdigit() else tag]
        try:
            pattern.parse(mt940.models.Transactions(), value)
        except Exception as refusal:  # the library names no exceptions of its own
            raise fault(line, f":{tag}:", _("this cannot be read.")) from refusal
        if tag == "61":
            places.append(line)
    return places


def _balance(fields: dict[str, Any], end: str, line: int) -> int | None:
    for name in (f"final_{end}_balance", f"intermediate_{end}_balance"):
        if (balance := fields.get(name)) is not None:
            return _kopecks(balance.amount.amount, line, ":60F:")
    return None


def _entry(fields: dict[str, Any], line: int) -> StatementEntry | None:
    refuse_other_currency(str(fields.get("currency") or ""), line, ":61:")
    amount = _kopecks(fields["amount"].amount, line, ":61:")
    booked = fields.get("entry_date") or fields["date"]
    reference = _text(fields, "customer_reference", LONGEST_REFERENCE, line)
    details = _text(fields, "purpose", LONGEST_PURPOSE, line) or _text(
        fields, "transaction_details", LONGEST_PURPOSE, line
    )
    named = _IBAN.search(details)
    if not amount:
        return None
    return StatementEntry(
        line=line,
        booked_on=date(booked.year, booked.month, booked.day),
        is_credit=amount > 0,
        amount=abs(amount),
        bank_reference=_text(fields, "bank_reference", LONGEST_REFERENCE, line),
        end_to_end_id="" if reference == _NO_REFERENCE else reference,
        party_name=_text(fields, "applicant_name", LONGEST_NAME, line),
        party_account=_text(fields, "applicant_iban", LONGEST_REFERENCE, line) or (named.group() if named else ""),
        party_bank=_text(fields, "applicant_bin", LONGEST_REFERENCE, line),
        purpose=details,
    )


def _kopecks(amount: Decimal | None, line: int, tag: str) -> int:
    if amount is None:
        raise fault(line, tag, _("this is no amount."))
    kopecks = read_amount(f"{abs(amount):f}", line, tag)
    return -kopecks if amount < 0 else kopecks


def _text(fields: dict[str, Any], name: str, most: int, line: int) -> str:
    return read_text(str(fields.get(name) or ""), most, line, ":86:")

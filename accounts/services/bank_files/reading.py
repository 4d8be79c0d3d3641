"""Telling what a bank file is, and reading it: camt.053, MT940 or CSV, in UTF-8 or Windows-1251."""

import re
from collections.abc import Sequence
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from accounts.services.bank_files.camt053 import read_camt053
from accounts.services.bank_files.csv_table import read_csv_table
from accounts.services.bank_files.entries import ParsedStatement, fault
from accounts.services.bank_files.mt940 import read_mt940

LARGEST = 8 * 1024 * 1024
MOST_ENTRIES = 50_000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MT940 = re.compile(r"^:20:", re.MULTILINE)


class BankFileFormat(StrEnum):
    """What a bank file is written in."""

    CAMT053 = "camt.053"
    MT940 = "mt940"
    CSV = "csv"


def read_bank_file(content: bytes) -> tuple[BankFileFormat, Sequence[ParsedStatement]]:
    """Return the format of a bank file and its statements.

    :raises DomainError: BAD_VALUE naming the line and the element at fault; nothing else, whatever the bytes are.
    """
    if len(content) > LARGEST:
        raise fault(0, "file", _("the file is larger than 8 MB."))
    form, statements = _read(content)
    if sum(len(statement.entries) for statement in statements) > MOST_ENTRIES:
        raise fault(0, "file", _("the file has more than 50,000 movements."))
    return form, statements


def _read(content: bytes) -> tuple[BankFileFormat, Sequence[ParsedStatement]]:
    bare = content.removeprefix(_BYTE_ORDER_MARK)
    if bare.lstrip().startswith(b"<"):
        return BankFileFormat.CAMT053, read_camt053(bare.lstrip())
    text = decoded(bare)
    if _MT940.search(text):
        return BankFileFormat.MT940, read_mt940(text)
    return BankFileFormat.CSV, read_csv_table(text)


def decoded(content: bytes) -> str:
    """Return the text of a file in UTF-8, with or without its mark, or in Windows-1251.

    :raises DomainError: BAD_VALUE.
    """
    content = content.removeprefix(_BYTE_ORDER_MARK)
    for encoding in ("utf-8", "cp1251"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise fault(0, "file", _("the file is neither in UTF-8 nor in Windows-1251."))

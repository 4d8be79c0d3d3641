"""The same 80 mm strips for a receipt printer that speaks ESC/POS: its own letters, in a Cyrillic code page (C68).

Code page 866 holds Russian and ў, and lacks і, which is written with the Latin letter that looks the same.
"""

import logging
import string
import textwrap
import unicodedata
from collections.abc import Sequence

from accounts.documents.slip import SlipRow
from totalizator.core.pdf import BOLD

log = logging.getLogger(__name__)
COLUMNS = 48  # of 12 dots each, on 72 mm that are printed
CODE_PAGE = "CP866"
_LARGE, _LINE = 12, 12  # points: from which size on letters are double, and how much space is an empty line
_ALIKE = {
    "і": "i", "І": "I", "ґ": "г", "Ґ": "Г", "«": '"', "»": '"', "„": '"', "“": '"', "”": '"', "’": "'", "‘": "'",
    "ʼ": "'", "–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "×": "x", "¶": "п. ", "\u00a0": " ", "\u202f": " ",
}  # fmt: skip
_TABLE = str.maketrans(_ALIKE)


def escpos_slip(title: str, rows: Sequence[SlipRow], *, qr: str = "", barcode: str = "") -> bytes:  # noqa: ARG001
    """Return the rows as the bytes that print them and cut the paper; same rows, same bytes.

    `qr` stands below as a QR code, `barcode` as Code 128 of digits (C65): the printer draws both.
    """
    # It takes a second to load, and only tills with such a printer need it.
    from escpos.constants import QR_ECLEVEL_M
    from escpos.printer import Dummy

    paper = Dummy()
    paper.hw("INIT")
    paper._raw(b"\x1c.")  # a printer that was sold in Asia else takes two bytes for one sign
    paper.charcode(CODE_PAGE)
    for row in rows:
        for line, bold, large, centred in _lines(row):
            size = {"normal_textsize": not large, "double_width": large, "double_height": large}
            paper.set(align="center" if centred else "left", bold=bold, **size)
            paper._raw(line.encode(CODE_PAGE, "replace") + b"\n")
    if qr:
        paper.set(align="center")
        paper.qr(qr, native=True, size=5, ec=QR_ECLEVEL_M)
    if barcode:
        paper.set(align="center")
        paper.barcode("{B" + barcode, "CODE128", function_type="B", height=80, width=2, pos="OFF")
    paper.cut()
    output: bytes = paper.output
    return output


def printable(text: str) -> str:
    """Return `text` in letters of the code page; what has none, or is an order to the printer, is `?`, and logged."""
    plain = text.translate(_TABLE)
    missing = {sign for sign in plain if _is_order(sign) or sign.encode(CODE_PAGE, "ignore") == b""}
    if missing:
        log.warning("not in %s: %s", CODE_PAGE, ", ".join(f"U+{ord(sign):04X}" for sign in sorted(missing)))
    return "".join("?" if sign in missing else sign for sign in plain)


def _is_order(sign: str) -> bool:
    """Tell whether the printer would not print the sign but obey it, such as ESC; spaces are what becomes of lines."""
    return unicodedata.category(sign) == "Cc" and sign not in string.whitespace


def _lines(row: SlipRow) -> list[tuple[str, bool, bool, bool]]:
    """Return the lines of a row, each with whether it is bold, large, and centred."""
    large, bold = row.size >= _LARGE, row.font == BOLD
    columns = COLUMNS // 2 if large else COLUMNS
    right = printable(row.right)
    room = columns - len(right) - 1 if right else columns
    broken = textwrap.wrap(printable(row.text), max(room, columns // 3)) or [""]
    lines: list[tuple[str, bool, bool, bool]] = [("", False, False, False)] * int(row.space // _LINE)
    if row.rule:
        lines.append(("-" * COLUMNS, False, False, False))
    if right and len(broken[0]) + len(right) < columns:
        broken[0] = broken[0].ljust(columns - len(right)) + right
    elif right:
        broken.append(right.rjust(columns))
    return [*lines, *((line, bold, large, row.centred) for line in broken)]

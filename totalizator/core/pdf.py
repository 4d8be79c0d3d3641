"""PDF with embedded fonts that hold every letter of our languages (C64); the same data gives the same bytes."""

import logging
from functools import cache
from io import BytesIO

import font_roboto
import segno
from reportlab.graphics.barcode.code128 import Code128
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

REGULAR, BOLD = "Roboto", "Roboto-Bold"
_QUIET_MODULES = 10  # on either side of a Code 128
log = logging.getLogger(__name__)


@cache
def _font(name: str) -> TTFont:
    font = TTFont(name, font_roboto.Roboto if name == REGULAR else font_roboto.RobotoBold)
    pdfmetrics.registerFont(font)
    return font


def missing_glyphs(text: str, font: str = REGULAR) -> set[str]:
    """Return the characters of `text` that the font cannot draw."""
    known = _font(font).face.charToGlyph
    return {char for char in text if ord(char) not in known and char != "\n"}


def drawable(text: str, font: str = REGULAR) -> str:
    """Return `text` with what the font cannot draw replaced by `?` and logged: a name must not stop a till."""
    missing = missing_glyphs(text, font)
    if missing:
        log.warning("no glyph for %s", ", ".join(f"U+{ord(char):04X}" for char in sorted(missing)))
    return "".join("?" if char in missing else char for char in text)


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """Break `text` into lines of at most `width` points."""
    _font(font)
    return list(simpleSplit(drawable(text, font), font, size, width)) or [""]


def new_canvas(buffer: BytesIO, size: tuple[float, float], title: str) -> Canvas:
    """Return a canvas of `size` points without any date or random id in it."""
    _font(REGULAR), _font(BOLD)
    canvas = Canvas(buffer, pagesize=size, invariant=1, pageCompression=1, initialFontName=REGULAR)
    canvas.setTitle(title)
    return canvas


def draw_code128(canvas: Canvas, digits: str, x: float, y: float, width: float, height: float) -> None:
    """Draw `digits` as Code 128 with its quiet zones, as wide as fits, centred between x and x + `width` points.

    :raises ValueError: for anything but digits: names have letters that this code does not (C65).
    """
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError("Code 128 here holds digits only")
    modules = Code128(digits, barWidth=1, barHeight=height, quiet=False).width
    bars = Code128(digits, barWidth=width / (modules + 2 * _QUIET_MODULES), barHeight=height, quiet=False)
    bars.drawOn(canvas, x + (width - bars.width) / 2, y)


def draw_qr(canvas: Canvas, text: str, x: float, y: float, side: float) -> None:
    """Draw `text` as a QR code, error level M, its quiet zone inside the square of `side` points at (x, y)."""
    quiet = 4
    rows = tuple(segno.make_qr(text, error="m").matrix)
    module = side / (len(rows) + 2 * quiet)
    path = canvas.beginPath()
    for row_number, row in enumerate(rows):
        bottom = y + side - (row_number + 1 + quiet) * module
        for column, dark in enumerate(row):
            if dark:
                path.rect(x + (column + quiet) * module, bottom, module, module)
    canvas.drawPath(path, stroke=0, fill=1)

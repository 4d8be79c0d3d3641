"""A strip of 80 mm paper: rows of a text at the left and an amount at the right, as tall as they need."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.pdf import BOLD, REGULAR, drawable, new_canvas, wrapped

WIDTH = 80 * mm
_MARGIN = 4 * mm
_LEADING = 1.3


@dataclass(frozen=True, slots=True)
class SlipRow:
    """One row: sizes and the space above it in points; `rule` draws a line above it."""

    text: str
    size: float = 8
    font: str = REGULAR
    right: str = ""
    centred: bool = False
    space: float = 0
    rule: bool = False


SlipDrawer = Callable[[str, Sequence[SlipRow]], bytes]
"""How rows come onto paper: a PDF, or what a receipt printer reads."""


def render_slip(title: str, rows: Sequence[SlipRow]) -> bytes:
    """Return the rows as a PDF of one page; same rows, same bytes."""
    new_canvas(BytesIO(), (WIDTH, WIDTH), title)  # registers the fonts, whose widths are asked for next
    broken = [(row, wrapped(row.text, row.font, row.size, _room(row))) for row in rows]
    height = 2 * _MARGIN + sum(row.space + len(lines) * row.size * _LEADING for row, lines in broken)
    buffer = BytesIO()
    canvas = new_canvas(buffer, (WIDTH, height), title)
    y = height - _MARGIN
    for row, lines in broken:
        y = _draw(canvas, row, lines, y)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _room(row: SlipRow) -> float:
    """Return how wide the text at the left may be, in points."""
    room: float = WIDTH - 2 * _MARGIN
    if row.right:
        room -= pdfmetrics.stringWidth(drawable(row.right, BOLD), BOLD, row.size) + 2 * mm
    return room


def _draw(canvas: Canvas, row: SlipRow, lines: Sequence[str], y: float) -> float:
    """Draw one row with its top at `y`; return the top of the next."""
    y -= row.space
    if row.rule:
        canvas.setLineWidth(0.5)
        canvas.line(_MARGIN, y, WIDTH - _MARGIN, y)
    for number, line in enumerate(lines):
        y -= row.size * _LEADING
        canvas.setFont(row.font, row.size)
        if row.centred:
            canvas.drawCentredString(WIDTH / 2, y, line)
        else:
            canvas.drawString(_MARGIN, y, line)
        if number == 0 and row.right:
            canvas.setFont(BOLD, row.size)
            canvas.drawRightString(WIDTH - _MARGIN, y, drawable(row.right, BOLD))
    return y

"""Prepaid cards on sheets of A4, ten a page, for an operator who prints them in the house (D1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO

from django.utils.translation import gettext as _
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD, REGULAR, draw_code128, new_canvas, wrapped

WIDTH, HEIGHT = 85.6 * mm, 54 * mm  # ISO/IEC 7810 ID-1
_COLUMNS, _ROWS = 2, 5
_PAD = 5 * mm
_BARCODE = 9 * mm
_VALUE_WIDTH = 28 * mm


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """All that a card shows. `face_value` in kopecks; `code` as it is printed; `valid_until` is the last day."""

    series: str
    number: str
    code: str
    face_value: int
    valid_until: date


def render_card_sheet(cards: Sequence[PrintedCard], operator: str) -> bytes:
    """Return the sheets as a PDF, in the language that is active; the same cards, the same bytes."""
    buffer = BytesIO()
    canvas = new_canvas(buffer, A4, f"{cards[0].number}–{cards[-1].number}" if cards else "")
    left = (A4[0] - _COLUMNS * WIDTH) / 2
    top = (A4[1] + _ROWS * HEIGHT) / 2
    a_page = _COLUMNS * _ROWS
    for start in range(0, len(cards), a_page):
        for place, card in enumerate(cards[start : start + a_page]):
            row, column = divmod(place, _COLUMNS)
            _draw(canvas, card, operator, left + column * WIDTH, top - (row + 1) * HEIGHT)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _draw(canvas: Canvas, card: PrintedCard, operator: str, x: float, y: float) -> None:
    """Draw one card with its lower left corner at (x, y), and the lines to cut along."""
    canvas.setLineWidth(0.25)
    canvas.rect(x, y, WIDTH, HEIGHT)
    inner = WIDTH - 2 * _PAD
    for place, text in enumerate(wrapped(operator, BOLD, 8, inner - _VALUE_WIDTH)[:2]):
        _line(canvas, x, y + HEIGHT - 7 * mm - place * 3.4 * mm, text, 8, BOLD)
    canvas.setFont(BOLD, 10)
    canvas.drawRightString(x + WIDTH - _PAD, y + HEIGHT - 7 * mm, format_byn(card.face_value))
    _line(canvas, x, y + HEIGHT - 14 * mm, _("Prepaid card"), 7)
    _line(canvas, x, y + HEIGHT - 19 * mm, _("Series %(series)s") % {"series": card.series}, 9, BOLD)
    canvas.drawRightString(x + WIDTH - _PAD, y + HEIGHT - 19 * mm, _("No. %(number)s") % {"number": card.number})
    _line(canvas, x, y + HEIGHT - 24.5 * mm, _("Activation code"), 6)
    canvas.rect(x + _PAD, y + HEIGHT - 32 * mm, inner, 6.5 * mm)
    canvas.setFont(BOLD, 12)
    canvas.drawCentredString(x + WIDTH / 2, y + HEIGHT - 30.3 * mm, card.code)
    draw_code128(canvas, card.number, x + _PAD, y + 10 * mm, inner, _BARCODE)
    valid = _("Valid to %(day)s. Pay bets with series, number and code together; the rest stays on the card.") % {
        "day": card.valid_until.strftime("%d.%m.%Y")
    }
    for place, text in enumerate(wrapped(valid, REGULAR, 5.5, inner)[:2]):
        _line(canvas, x, y + 6.5 * mm - place * 2.6 * mm, text, 5.5)


def _line(canvas: Canvas, x: float, y: float, text: str, size: float, font: str = REGULAR) -> None:
    canvas.setFont(font, size)
    canvas.drawString(x + _PAD, y, text)

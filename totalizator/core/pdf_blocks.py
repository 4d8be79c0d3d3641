"""What the pages of a document are made of: names with values, figures, tables, paragraphs, lines to sign on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.pdf import BOLD, REGULAR, drawable, wrapped
from totalizator.core.pdf_page import BODY_WIDTH, INK, LEFT, QUIET, RIGHT, RULE, SHADE, Strip

_PAD = 2 * mm
_CELL = 8.5
_LEADING = 1.3


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, its part of the width, and whether it is of amounts."""

    heading: str
    part: int
    right: bool = False


def space(height: float) -> Strip:
    """Leave `height` points free."""
    return Strip(height, lambda _canvas, _top: None)


def paragraph(text: str, *, size: float = 10, bold: bool = False, joined: bool = False) -> Iterator[Strip]:
    """Yield the lines of a text; `joined` keeps them together with what follows."""
    font = BOLD if bold else REGULAR
    for line in wrapped(text, font, size, BODY_WIDTH):
        yield Strip(size * _LEADING, partial(_draw_line, line, font, size), joined=joined)


def facts(rows: Sequence[tuple[str, str]], *, label_width: float = 52 * mm) -> Iterator[Strip]:
    """Yield (name, value) rows, the names quiet at the left."""
    for name, value in rows:
        names = wrapped(name, REGULAR, 9.5, label_width - _PAD)
        values = wrapped(value, REGULAR, 9.5, BODY_WIDTH - label_width)
        height = max(len(names), len(values)) * 9.5 * _LEADING + 1.2 * mm
        yield Strip(height, partial(_draw_fact, names, values, label_width))


def figures(cells: Sequence[tuple[str, str]]) -> Strip:
    """Return a shaded band of figures beside one another, each under its name."""
    return Strip(17 * mm, partial(_draw_figures, cells))


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    totals: Sequence[str] = (),
    nothing: str = "",
) -> Iterator[Strip]:
    """Yield a table whose heading is repeated on each page; `nothing` is what one without rows says."""
    widths = [BODY_WIDTH * column.part / sum(column.part for column in columns) for column in columns]
    headings = [column.heading for column in columns]
    heading = _row(columns, widths, headings, bold=True, joined=True, rule=INK, quiet=True)
    yield heading
    for number, cells in enumerate(rows):
        yield _row(columns, widths, cells, heading=heading, shaded=bool(number % 2))
    if not rows:
        yield Strip(9 * mm, partial(_draw_nothing, nothing))
    if totals:
        yield _row(columns, widths, totals, bold=True, heading=heading, rule=INK)


def signatures(names: Sequence[str]) -> Iterator[Strip]:
    """Yield lines to sign on, one under another, each with what stands beside it."""
    for name in names:
        yield Strip(16 * mm, partial(_draw_signature, wrapped(name, REGULAR, 9, 70 * mm)))


def _row(
    columns: Sequence[Column],
    widths: Sequence[float],
    cells: Sequence[str],
    *,
    bold: bool = False,
    joined: bool = False,
    shaded: bool = False,
    quiet: bool = False,
    rule: str = "",
    heading: Strip | None = None,
) -> Strip:
    font = BOLD if bold else REGULAR
    broken = [wrapped(cell, font, _CELL, width - _PAD) for cell, width in zip(cells, widths, strict=True)]
    height = max(len(lines) for lines in broken) * _CELL * _LEADING + 1.6 * mm

    def draw(canvas: Canvas, top: float) -> None:
        if shaded:
            canvas.setFillColor(SHADE)
            canvas.rect(LEFT, top - height, BODY_WIDTH, height, stroke=0, fill=1)
        canvas.setFillColor(QUIET if quiet else INK)
        canvas.setFont(font, _CELL)
        x = LEFT
        for column, width, lines in zip(columns, widths, broken, strict=True):
            y = top - 0.8 * mm
            for line in lines:
                y -= _CELL * _LEADING
                if column.right:
                    canvas.drawRightString(x + width - _PAD / 2, y + 2.2, line)
                else:
                    canvas.drawString(x + _PAD / 2, y + 2.2, line)
            x += width
        canvas.setFillColor(INK)
        if rule:
            _draw_rule(canvas, top if not quiet else top - height, rule)

    return Strip(height, draw, heading=heading, joined=joined)


def _draw_rule(canvas: Canvas, y: float, colour: str) -> None:
    canvas.setStrokeColor(colour)
    canvas.setLineWidth(0.7)
    canvas.line(LEFT, y, RIGHT, y)


def _draw_line(text: str, font: str, size: float, canvas: Canvas, top: float) -> None:
    canvas.setFont(font, size)
    canvas.drawString(LEFT, top - size, text)


def _draw_fact(names: Sequence[str], values: Sequence[str], label_width: float, canvas: Canvas, top: float) -> None:
    canvas.setFont(REGULAR, 9.5)
    for x, lines, colour in ((LEFT, names, QUIET), (LEFT + label_width, values, INK)):
        canvas.setFillColor(colour)
        for number, line in enumerate(lines):
            canvas.drawString(x, top - 9.5 - number * 9.5 * _LEADING, line)


def _draw_figures(cells: Sequence[tuple[str, str]], canvas: Canvas, top: float) -> None:
    canvas.setFillColor(SHADE)
    canvas.roundRect(LEFT, top - 14 * mm, BODY_WIDTH, 14 * mm, 2 * mm, stroke=0, fill=1)
    width = BODY_WIDTH / len(cells)
    for number, (name, value) in enumerate(cells):
        x = LEFT + number * width + 4 * mm
        canvas.setFillColor(QUIET)
        canvas.setFont(REGULAR, 7.5)
        canvas.drawString(x, top - 5 * mm, drawable(name))
        canvas.setFillColor(INK)
        canvas.setFont(BOLD, 12)
        canvas.drawString(x, top - 10.5 * mm, drawable(value, BOLD))


def _draw_nothing(text: str, canvas: Canvas, top: float) -> None:
    canvas.setFillColor(QUIET)
    canvas.setFont(REGULAR, 9.5)
    canvas.drawString(LEFT + _PAD / 2, top - 6 * mm, drawable(text))
    canvas.setFillColor(INK)


def _draw_signature(lines: Sequence[str], canvas: Canvas, top: float) -> None:
    y = top - 12 * mm
    canvas.setFillColor(INK)
    canvas.setFont(REGULAR, 9)
    for number, line in enumerate(reversed(lines)):
        canvas.drawString(LEFT, y + number * 9 * _LEADING, line)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.7)
    canvas.line(LEFT + 74 * mm, y - 1, RIGHT, y - 1)

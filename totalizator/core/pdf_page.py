"""Documents on sheets of A4: a head with operator, title and period, a foot with who made it and page x of y (N5).

A document is a row of strips, each as wide as the page: it says how tall it is, and draws itself. Strips are packed
into pages first, so that every page knows how many there are. Blocks of strips stand in `pdf_blocks.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.pdf import BOLD, REGULAR, drawable, new_canvas, wrapped

WIDTH: float = A4[0]
HEIGHT: float = A4[1]
LEFT: float = 18 * mm
RIGHT: float = WIDTH - 14 * mm
BODY_WIDTH = RIGHT - LEFT
INK, QUIET, RULE, SHADE = "#14213d", "#5c677d", "#c9ced6", "#f2f4f7"
_TOP: float = HEIGHT - 14 * mm
_BOTTOM: float = 20 * mm
_LATER_HEAD: float = 12 * mm


@dataclass(frozen=True, slots=True)
class Strip:
    """A piece that is not parted: `draw` gets the canvas and its top in points.

    `heading` is drawn again when a page begins with this strip; `joined` keeps it on one page with the next one.
    """

    height: float
    draw: Callable[[Canvas, float], None]
    heading: "Strip | None" = None
    joined: bool = False


@dataclass(frozen=True, slots=True)
class PageFrame:
    """What every page says of the document. `made` is when and by whom, already written for people."""

    operator: str
    title: str
    period: str
    made: str
    version: str


def render_pages(frame: PageFrame, strips: Sequence[Strip]) -> bytes:
    """Return the document as a PDF, in the language that is active; same frame and strips, same bytes."""
    buffer = BytesIO()
    canvas = new_canvas(buffer, A4, frame.title)
    pages = _packed(strips, _TOP - _head_height(frame) - _BOTTOM, _TOP - _LATER_HEAD - _BOTTOM)
    for number, page in enumerate(pages, start=1):
        y = _draw_head(canvas, frame, first=number == 1)
        for strip in page:
            strip.draw(canvas, y)
            y -= strip.height
        _draw_foot(canvas, frame, number, len(pages))
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _packed(strips: Sequence[Strip], first_room: float, room: float) -> list[list[Strip]]:
    """Part the strips into pages; a strip that is taller than a page has one of its own."""
    pages: list[list[Strip]] = [[]]
    left = first_room
    for together in _joined(strips):
        needed = sum(strip.height for strip in together)
        if needed > left and pages[-1]:
            pages.append([])
            left = room
            if together[0].heading is not None:
                pages[-1].append(together[0].heading)
                left -= together[0].heading.height
        pages[-1].extend(together)
        left -= needed
    return pages


def _joined(strips: Sequence[Strip]) -> list[list[Strip]]:
    groups: list[list[Strip]] = []
    joined = False
    for strip in strips:
        if joined:
            groups[-1].append(strip)
        else:
            groups.append([strip])
        joined = strip.joined
    return groups


def _head_height(frame: PageFrame) -> float:
    lines = len(wrapped(frame.title, BOLD, 17, BODY_WIDTH))
    return float(14 * mm) + lines * 21 + (15 if frame.period else 0)


def _draw_head(canvas: Canvas, frame: PageFrame, *, first: bool) -> float:
    """Draw the head of a page; return where its body begins."""
    canvas.setFillColor(QUIET)
    canvas.setFont(BOLD, 8.5)
    canvas.drawString(LEFT, _TOP - 8, drawable(frame.operator, BOLD))
    if not first:
        canvas.setFont(REGULAR, 8.5)
        canvas.drawRightString(RIGHT, _TOP - 8, drawable(f"{frame.title} · {frame.period}".rstrip(" ·")))
    canvas.setStrokeColor(INK if first else RULE)
    canvas.setLineWidth(1.2 if first else 0.5)
    canvas.line(LEFT, _TOP - 5 * mm, RIGHT, _TOP - 5 * mm)
    if not first:
        canvas.setFillColor(INK)
        return _TOP - _LATER_HEAD
    y = _TOP - 9 * mm
    canvas.setFillColor(INK)
    canvas.setFont(BOLD, 17)
    for line in wrapped(frame.title, BOLD, 17, BODY_WIDTH):
        y -= 21
        canvas.drawString(LEFT, y + 5, line)
    if frame.period:
        y -= 15
        canvas.setFillColor(QUIET)
        canvas.setFont(REGULAR, 10)
        canvas.drawString(LEFT, y + 4, drawable(frame.period))
    canvas.setFillColor(INK)
    return float(y - 5 * mm)


def _draw_foot(canvas: Canvas, frame: PageFrame, number: int, count: int) -> None:
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.5)
    canvas.line(LEFT, _BOTTOM - 5 * mm, RIGHT, _BOTTOM - 5 * mm)
    canvas.setFillColor(QUIET)
    canvas.setFont(REGULAR, 7.5)
    canvas.drawString(LEFT, _BOTTOM - 9 * mm, drawable(f"{frame.made} · {frame.version}"))
    page = _("page %(number)s of %(count)s") % {"number": number, "count": count}
    canvas.drawRightString(RIGHT, _BOTTOM - 9 * mm, drawable(page))
    canvas.setFillColor(INK)

"""The ticket of a bet: an 80 mm strip with all that proves the bet, a QR code of the same, and a barcode (B3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from accounts.documents.escpos import escpos_slip
from accounts.documents.slip import SlipRow
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD, REGULAR, draw_code128, draw_qr, new_canvas, wrapped
from totalizator.core.plain_words import grouped

WIDTH = 80 * mm
_MARGIN = 4 * mm
_QR_SIDE = 38 * mm
_BARCODE = 11 * mm


@dataclass(frozen=True, slots=True)
class MarkedCondition:
    """One line of the coupon: the condition as people know it, and the marked outcomes."""

    code: str
    name: str
    marks: str


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """All that a ticket shows. `stake` in kopecks; times are in the point's zone; `barcode` is digits alone (C65)."""

    operator: str
    game: str
    pool_code: str
    pool_name: str
    ticket: str
    qr: str
    barcode: str
    check_code: str
    conditions: Sequence[MarkedCondition]
    lines: int
    stake: int
    shown_time: str
    place: str
    cashier: str
    claim_term: str
    terms_digest: str
    rules_version: str
    log_head: str = ""
    copy: bool = False
    terminal: str = ""
    risk_warning: str = ""


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    size: float = 8
    font: str = REGULAR
    right: str = ""
    centred: bool = False
    space: float = 0


def render_ticket(facts: TicketFacts) -> bytes:
    """Return the ticket as a PDF of one page, in the language that is active; same facts, same bytes."""
    return render_tickets([facts])


def render_tickets(tickets: Sequence[TicketFacts]) -> bytes:
    """Return several tickets as one PDF, each on a page as long as it needs."""
    laid_out = [_lay_out(facts) for facts in tickets]
    buffer = BytesIO()
    canvas = new_canvas(buffer, (WIDTH, laid_out[0][1]), tickets[0].ticket)
    for facts, (rows, height) in zip(tickets, laid_out, strict=True):
        canvas.setPageSize((WIDTH, height))
        y = height - _MARGIN
        for row, lines in rows:
            y = _draw(canvas, row, lines, y - row.space)
        draw_qr(canvas, facts.qr, (WIDTH - _QR_SIDE) / 2, y - _QR_SIDE, _QR_SIDE)
        draw_code128(canvas, facts.barcode, _MARGIN, _MARGIN, WIDTH - 2 * _MARGIN, _BARCODE)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def escpos_tickets(tickets: Sequence[TicketFacts]) -> bytes:
    """Return several tickets for a printer that speaks ESC/POS: in one run, the paper cut after each."""
    return b"".join(escpos_ticket(facts) for facts in tickets)


def _lay_out(facts: TicketFacts) -> tuple[list[tuple[_Row, list[str]]], float]:
    """Return the rows broken into lines, and how tall the ticket is, in points."""
    width = WIDTH - 2 * _MARGIN
    rows = [(row, wrapped(row.text, row.font, row.size, width - 12 * mm * bool(row.right))) for row in _rows(facts)]
    text = sum(row.space + len(lines) * row.size * 1.3 for row, lines in rows)
    return rows, 2 * _MARGIN + _QR_SIDE + _BARCODE + text


def escpos_ticket(facts: TicketFacts) -> bytes:
    """Return the same ticket for a printer that speaks ESC/POS."""
    rows = [
        SlipRow(row.text, size=row.size, font=row.font, right=row.right, centred=row.centred, space=row.space)
        for row in _rows(facts)
    ]
    return escpos_slip(facts.ticket, rows, qr=facts.qr, barcode=facts.barcode)


def _rows(facts: TicketFacts) -> Iterator[_Row]:
    yield _Row(facts.operator, 10, BOLD, centred=True)
    yield _Row(f"{facts.game}", 8, centred=True)
    if facts.copy:
        yield _Row(_("COPY — not to be paid"), 11, BOLD, centred=True, space=4)
    yield _Row(_("Pool %(code)s") % {"code": facts.pool_code}, 9, BOLD, space=6)
    yield _Row(facts.pool_name)
    yield _Row(_("Ticket"), 7, space=6)
    yield _Row(facts.ticket, 12, BOLD)
    if facts.check_code:
        yield _Row(_("Check code — shows that the ticket is yours"), 7, space=2)
        yield _Row(grouped(facts.check_code), 12, BOLD)
    yield _Row(_("Your selections"), 7, space=6)
    for condition in facts.conditions:
        yield _Row(f"{condition.code}. {condition.name}", right=condition.marks)
    yield _Row(_("Lines"), right=str(facts.lines), space=6)
    yield _Row(_("Stake"), 10, BOLD, right=format_byn(facts.stake))
    yield _Row(_("Accepted %(time)s") % {"time": facts.shown_time}, space=4)
    yield _Row(facts.place)
    if facts.cashier:
        yield _Row(_("Cashier %(cashier)s") % {"cashier": facts.cashier})
    if facts.terminal:
        yield _Row(_("Terminal %(terminal)s") % {"terminal": facts.terminal})
    yield _Row(facts.claim_term, 7, space=4)
    if facts.risk_warning:
        yield _Row(facts.risk_warning, 7, space=4)
    yield _Row(_("Terms %(digest)s") % {"digest": facts.terms_digest[7:23]}, 6, space=4)
    yield _Row(_("Rules %(digest)s") % {"digest": facts.rules_version[7:23]}, 6)
    if facts.log_head:
        yield _Row(_("Public log %(head)s") % {"head": facts.log_head}, 6)


def _draw(canvas: Canvas, row: _Row, lines: Sequence[str], y: float) -> float:
    """Draw one row with its top at `y`; return the top of the next."""
    for number, line in enumerate(lines):
        y -= row.size * 1.3
        canvas.setFont(row.font, row.size)
        if row.centred:
            canvas.drawCentredString(WIDTH / 2, y, line)
        else:
            canvas.drawString(_MARGIN, y, line)
        if number == 0 and row.right:
            canvas.setFont(BOLD, row.size)
            canvas.drawRightString(WIDTH - _MARGIN, y, row.right)
    return y

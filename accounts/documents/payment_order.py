"""A payment order on a sheet of A4, as it goes to the bank on paper (¶41-42)."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD, REGULAR, wrapped
from totalizator.core.pdf_blocks import signatures, space
from totalizator.core.pdf_page import BODY_WIDTH, INK, LEFT, QUIET, RULE, PageFrame, Strip, render_pages
from totalizator.core.sums_in_words import byn_in_words

_PAD = 2.5 * mm


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """All that an order shows; `amount` in kopecks, accounts as IBANs, banks as BICs.

    By post the payee is the post, and the `recipient` is whom it brings the money, to the address.
    """

    operator: str
    number: str
    day: str
    amount: int
    payer: str
    payer_account: str
    payer_bank: str
    payee: str
    payee_account: str
    payee_bank: str
    purpose: str
    state: str
    made: str
    version: str
    recipient: str = ""
    recipient_address: str = ""


def render_payment_order(order: OrderFacts) -> bytes:
    """Return the order as a PDF of one page, in the language that is active; same facts, same bytes."""
    title = _("Payment order No. %(number)s") % {"number": order.number}
    frame = PageFrame(order.operator, title, order.day, order.made, order.version)
    return render_pages(frame, list(_strips(order)))


def _strips(order: OrderFacts) -> Iterator[Strip]:
    yield _boxes((_("Amount and currency"), byn_in_words(order.amount), 65), (_("Sum"), format_byn(order.amount), 35))
    yield _boxes((_("Payer"), order.payer, 52), (_("Payer's account"), _parted(order.payer_account), 48))
    yield _boxes((_("Payer's bank"), order.payer_bank or "—", 100))
    yield _boxes((_("Payee"), order.payee, 52), (_("Payee's account"), _parted(order.payee_account), 48))
    yield _boxes((_("Payee's bank"), order.payee_bank or "—", 100))
    if order.recipient:
        yield _boxes((_("To be brought by post to"), order.recipient, 40), (_("Address"), order.recipient_address, 60))
    yield _boxes((_("Purpose of the payment"), order.purpose, 100))
    yield _boxes((_("State"), order.state, 100))
    yield space(6 * mm)
    yield from signatures([_("Head of the organization"), _("Chief accountant"), _("Bank's mark")])


def _parted(account: str) -> str:
    """Return an account in groups of four, as people compare it."""
    return " ".join(account[start : start + 4] for start in range(0, len(account), 4))


def _boxes(*cells: tuple[str, str, int]) -> Strip:
    """Return a row of framed boxes: (name, value, hundredths of the width)."""
    broken = [(name, wrapped(value, BOLD, 10, BODY_WIDTH * part / 100 - 2 * _PAD), part) for name, value, part in cells]
    height = max(len(lines) for _name, lines, _part in broken) * 13 + 9.5 * mm

    def draw(canvas: Canvas, top: float) -> None:
        x = LEFT
        canvas.setLineWidth(0.7)
        for name, lines, part in broken:
            width = BODY_WIDTH * part / 100
            canvas.setStrokeColor(RULE)
            canvas.rect(x, top - height, width, height)
            canvas.setFillColor(QUIET)
            canvas.setFont(REGULAR, 7.5)
            canvas.drawString(x + _PAD, top - 4.5 * mm, wrapped(name, REGULAR, 7.5, width)[0])
            canvas.setFillColor(INK)
            canvas.setFont(BOLD, 10)
            for number, line in enumerate(lines):
                canvas.drawString(x + _PAD, top - 9.5 * mm - number * 13, line)
            x += width

    return Strip(height, draw)

"""The receipt of a payment in cash: what was due on the ticket, what was withheld, what was handed over (¶13, C59)."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.documents.slip import SlipDrawer, SlipRow, render_slip
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """All that a receipt shows; amounts in kopecks, times written in the point's zone."""

    operator: str
    number: str
    ticket: str
    what: str
    gross: int
    tax: int
    rounded: int
    paid: str
    place: str
    cashier: str
    digest: str
    copy: bool = False

    @property
    def handed_over(self) -> int:
        """What the player got."""
        return self.gross - self.tax - self.rounded


def render_receipt(facts: ReceiptFacts, draw: SlipDrawer = render_slip) -> bytes:
    """Return the receipt as a PDF of one page, or as `draw` does it, in the language that is active."""
    return draw(facts.number, list(_rows(facts)))


def _rows(facts: ReceiptFacts) -> Iterator[SlipRow]:
    yield SlipRow(facts.operator, 10, BOLD, centred=True)
    yield SlipRow(_("Receipt No. %(number)s") % {"number": facts.number}, 12, BOLD, centred=True, space=4)
    if facts.copy:
        yield SlipRow(_("COPY"), 14, BOLD, centred=True, space=2)
    yield SlipRow(_("of a payment in cash"), centred=True)
    yield SlipRow(_("Ticket"), 7, space=8, rule=True)
    yield SlipRow(facts.ticket, 10, BOLD)
    yield SlipRow(facts.what, 9, right=format_byn(facts.gross), space=6)
    if facts.tax:
        yield SlipRow(_("Income tax withheld"), 9, right=format_byn(-facts.tax))
    if facts.rounded:
        yield SlipRow(_("Rounded down to the smallest coin"), 9, right=format_byn(-facts.rounded))
    yield SlipRow(_("Handed over"), 12, BOLD, right=format_byn(facts.handed_over), space=4, rule=True)
    yield SlipRow(facts.paid, space=6)
    yield SlipRow(facts.place)
    yield SlipRow(_("Cashier %(cashier)s") % {"cashier": facts.cashier})
    yield SlipRow(_("Cashier's signature"), 7, space=24, rule=True)
    yield SlipRow(_("Received: signature"), 7, space=24, rule=True)
    yield SlipRow(facts.digest[7:39], 6, space=8)

"""The slip of a check: what a desk was told of a ticket, for who brought it (C7)."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.documents.slip import SlipDrawer, SlipRow, render_slip
from totalizator.core.pdf import BOLD


@dataclass(frozen=True, slots=True)
class ScanSlip:
    """All that the slip shows; amounts are in `verdict`, times written in the point's zone."""

    operator: str
    number: int
    ticket: str
    verdict: str
    about: str
    scanned: str
    place: str
    cashier: str


def render_scan_slip(slip: ScanSlip, draw: SlipDrawer = render_slip) -> bytes:
    """Return the slip as a PDF of one page, or as `draw` does it, in the language that is active."""
    return draw(str(slip.number), list(_rows(slip)))


def _rows(slip: ScanSlip) -> Iterator[SlipRow]:
    yield SlipRow(slip.operator, 10, BOLD, centred=True)
    yield SlipRow(_("Check of a ticket No. %(number)s") % {"number": slip.number}, 12, BOLD, centred=True, space=4)
    yield SlipRow(_("This is no receipt: nothing was paid by it."), 7, centred=True, space=2)
    if slip.ticket:
        yield SlipRow(_("Ticket"), 7, space=8, rule=True)
        yield SlipRow(slip.ticket, 10, BOLD)
    yield SlipRow(slip.verdict, 14, BOLD, centred=True, space=8, rule=True)
    if slip.about:
        yield SlipRow(slip.about, 9, centred=True, space=2)
    yield SlipRow(slip.scanned, space=8, rule=True)
    yield SlipRow(slip.place)
    yield SlipRow(_("Cashier %(cashier)s") % {"cashier": slip.cashier})

"""Drawing up the slip of a check (C7)."""

from django.conf import settings

from accounts.documents.slip import SlipDrawer, render_slip
from payouts.documents.scan_slip import ScanSlip, render_scan_slip
from payouts.models import TicketScan
from payouts.queries.ticket_scans import verdict_of
from totalizator.core.localtime import local_text


def scan_slip_pdf(scan: TicketScan, draw: SlipDrawer = render_slip) -> bytes:
    """Return the slip, 80 mm wide, a PDF or as `draw` does it, in the active language; printed again it is the same."""
    told, point = verdict_of(scan), scan.till.point
    return render_scan_slip(
        ScanSlip(
            operator=settings.OPERATOR_NAME,
            number=scan.pk,
            ticket=scan.ticket,
            verdict=told.verdict,
            about=told.about,
            scanned=local_text(scan.scanned_at, point.time_zone, with_seconds=True),
            place=f"{point.name}, {scan.till}",
            cashier=scan.scanned_by.get_full_name() or scan.scanned_by.username,
        ),
        draw,
    )

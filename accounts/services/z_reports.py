"""The Z-report: the figures of a closed shift, frozen as text; the document is drawn from that alone (C2)."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.documents.z_report import ZFacts, ZLine, render_z_report
from accounts.ledger.kinds import TransferKind
from accounts.models import Shift, ZReport
from accounts.queries.shifts import Counters, shift_lines
from totalizator.core.localtime import local_text
from totalizator.engine.canonical import canonical_json, digest, parse_json


def make_z_report(shift: Shift, counters: Counters) -> ZReport:
    """Freeze the figures of a shift that has just been counted; called by `close_shift` while it holds the till.

    `counters` are the till's before any difference was posted. `elsewhere` is what the counters grew by and no line
    tells of: 0, unless somebody wrote to the till's account without holding the till.
    """
    assert shift.closed_at is not None
    lines = shift_lines(shift, until=shift.closed_at)
    came, went = counters.debits - shift.opening_debits, counters.credits - shift.opening_credits
    in_lines = sum(line.amount if line.side == "in" else -line.amount for line in lines)
    figures: dict[str, Any] = {
        "format": 1,
        "point": shift.till.point.code,
        "point_name": shift.till.point.name,
        "till": shift.till.number,
        "time_zone": shift.till.point.time_zone,
        "shift": shift.number,
        "cashier": shift.cashier.get_full_name() or shift.cashier.username,
        "opened_at": _instant(shift.opened_at),
        "closed_at": _instant(shift.closed_at),
        "float": shift.opening_float,
        "in": came,
        "out": went,
        "lines": [{"kind": line.kind, "side": line.side, "count": line.count, "amount": line.amount} for line in lines],
        "elsewhere": came - went - in_lines,
        "expected": shift.expected,
        "counted": shift.counted,
        "reason": shift.reason,
    }
    text = canonical_json(figures)
    return ZReport.objects.create(shift=shift, text=text.decode(), digest=digest(text), made_at=shift.closed_at)


def figures_of(report: ZReport) -> dict[str, Any]:
    """Return the frozen figures; amounts in kopecks."""
    figures: dict[str, Any] = parse_json(report.text.encode(), where="z-report")
    return figures


def z_report_pdf(report: ZReport) -> bytes:
    """Return the report as a PDF in the language that is active: same report, same bytes."""
    figures = figures_of(report)
    zone = figures["time_zone"]
    return render_z_report(
        ZFacts(
            operator=settings.OPERATOR_NAME,
            title=_("Z-report No. %(number)s") % {"number": figures["shift"]},
            place=f"{figures['point_name']}, {figures['point']}/{figures['till']}",
            cashier=figures["cashier"],
            opened=local_text(datetime.fromisoformat(figures["opened_at"]), zone),
            closed=local_text(datetime.fromisoformat(figures["closed_at"]), zone),
            opening_float=figures["float"],
            lines=[
                ZLine(str(TransferKind(line["kind"]).label), line["side"] == "in", line["count"], line["amount"])
                for line in figures["lines"]
            ],
            came=figures["in"],
            went=figures["out"],
            expected=figures["expected"],
            counted=figures["counted"],
            reason=figures["reason"],
            digest=report.digest,
        )
    )


def _instant(at: datetime) -> str:
    return at.isoformat()

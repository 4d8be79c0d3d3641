"""What points need: papers that end, cards to be printed, cash near what the bank allows (¶7, ¶9.4, ¶9.6)."""

from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import BatchState, CardBatch
from accounts.queries.point_documents import Expiry, expiring
from accounts.queries.points import near_their_limits
from payouts.queries.waiting.shape import Line, Rows
from totalizator.core.legal import legal_numbers
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import end_of_legal_day, legal_day


def expiring_documents(now: datetime) -> list[Line]:
    """Documents, certificates, contracts and agreements that end within the dated number of days, or are missing."""
    within = int(legal_numbers(now)["expiry_warning_days"])
    found = expiring(legal_day(now), within=within)
    return sorted(
        (Line(_told(paper), None, end_of_legal_day(paper.last_day) if paper.last_day else None) for paper in found),
        key=lambda line: (line.due or now, line.about),
    )


def card_batches() -> Rows:
    """Batches of prepaid cards that somebody proposes to print (D1)."""
    rows = CardBatch.objects.filter(state=BatchState.PROPOSED)
    return Rows(rows, "proposed_at", lambda row: f"{row.series}: {row.quantity} × {format_byn(row.face_value)}")


def cash_near_limits(now: datetime) -> list[Line]:
    """Points whose cash is near what the bank allows, or over it."""
    return [
        Line(_("%(point)s: %(cash)s of %(limit)s") % {"point": point.code, **_amounts(point.cash, point.limit)})
        for point in near_their_limits(legal_day(now))
    ]


def _told(paper: Expiry) -> str:
    told, missing = f"{paper.subject}, {paper.what}", _("missing")
    return told if paper.last_day else f"{told}: {missing}"


def _amounts(cash: int, limit: int) -> dict[str, str]:
    return {"cash": format_byn(cash), "limit": format_byn(limit)}

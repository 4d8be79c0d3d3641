"""Betting points that may sell: papers on file, equipment examined, shifts open. What a run lacks is made up for."""

from datetime import timedelta
from io import BytesIO

from reportlab.lib.pagesizes import A5

from accounts.ledger.balances import balance
from accounts.models import BettingPoint, DocumentKind, PointKind, Till, User
from accounts.queries.desks import agreement_on_takings
from accounts.queries.point_documents import missing_documents
from accounts.services.bank_terms import record_takings_agreement
from accounts.services.equipment import register_certificate
from accounts.services.point_documents import file_document
from accounts.services.points import register_point
from accounts.services.shifts import open_shift, open_shift_of
from totalizator.core import clock
from totalizator.core.pdf import new_canvas

LASTS = timedelta(days=3 * 365)


def standing_point(code: str, name: str, address: str, organizer: User) -> BettingPoint:
    """Find the point, or register it."""
    point = BettingPoint.objects.filter(code=code).first()
    return point or register_point(code=code, name=name, address=address, kind=PointKind.OWN, by=organizer)


def make_ready(till: Till, organizer: User) -> None:
    """Let the till sell and pay: what it lacks today is filed, registered, agreed and opened."""
    today = clock.today()
    until = today + LASTS
    for kind in missing_documents(till.point, today):
        file_document(
            point=till.point,
            kind=kind,
            number="1",
            valid_from=today,
            valid_until=until,
            content=_scan(kind),
            original_name=f"{kind}.pdf",
            by=organizer,
        )
    if not till.certificates.filter(valid_from__lte=today, valid_until__gte=today).exists():
        register_certificate(
            equipment=till, number=f"BY-{till.pk}", valid_from=today, valid_until=until, actor=organizer.actor
        )
    if agreement_on_takings(till, today) is None:
        record_takings_agreement(number="1", bank="Беларусбанк", valid_from=today, valid_until=until, by=organizer)
    if till.cashier is not None and open_shift_of(till) is None:
        open_shift(till=till, cashier=till.cashier, counted=balance(till.ledger_account))


def _scan(kind: DocumentKind) -> bytes:
    """Return a page that stands for a scan."""
    buffer = BytesIO()
    canvas = new_canvas(buffer, A5, str(kind.label))
    canvas.drawString(72, 480, f"{kind.label}: demo")
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()

"""Drawing up the document of a handover."""

from django.conf import settings

from accounts.documents.handover import HandoverFacts, render_handover
from accounts.models import Handover, Route, User
from totalizator.core.localtime import LEGAL_ZONE, local_text


def handover_pdf(handover: Handover) -> bytes:
    """Return the handover's document as a PDF in the language that is active: same state, same bytes."""
    point = handover.till.point if handover.till is not None else None
    zone = point.time_zone if point is not None else LEGAL_ZONE
    return render_handover(
        HandoverFacts(
            operator=settings.OPERATOR_NAME,
            number=handover.number,
            route=str(Route(handover.route).label).replace("→", "–"),  # the font has no arrow
            place=f"{point.name}, {handover.till}" if point is not None else "",
            amount=handover.amount,
            giver=_name(handover.given_by),
            given=local_text(handover.announced_at, zone),
            receiver=_name(handover.received_by),
            received=local_text(handover.received_at, zone) if handover.received_at is not None else "",
            counted=handover.counted,
            reason=handover.reason,
            bank_document=handover.document,
        )
    )


def _name(person: User | None) -> str:
    return (person.get_full_name() or person.username) if person is not None else ""

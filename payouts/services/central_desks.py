"""Making a point of the organizer's own a central desk, where large winnings are paid."""

from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, PointKind, User
from accounts.services.staff import refuse_all_but_staff, written
from payouts.models import CentralDesk
from payouts.queries.central_desks import central_points
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def appoint_central_desk(*, point: BettingPoint, is_central: bool, reason: str, by: User) -> bool:
    """Make `point` a central desk, or one no longer; return False if it stands so already.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE for a point of somebody else's.
    """
    refuse_all_but_staff(by)
    reason = written(reason, field="reason")
    if is_central and point.kind != PointKind.OWN:
        raise DomainError(Refusal.WRONG_STATE, _("Only a point of the organizer's own can be a central desk."))
    with one_transaction():
        if central_points().filter(pk=point.pk).exists() == is_central:
            return False
        at = clock.now()
        CentralDesk.objects.create(point=point, is_central=is_central, reason=reason, decided_by=by, decided_at=at)
        write_journal(
            at=at,
            actor=by.actor,
            act="appoint_central_desk" if is_central else "end_central_desk",
            subject=f"point:{point.code}",
            reason=reason,
        )
    return True

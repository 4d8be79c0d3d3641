"""The ends of a day: takings go to the cash desk and on to the bank, shifts are counted and begun anew (¶9.5, C2)."""

from accounts.ledger.posting import balance_of_guarded
from accounts.models import Handover, Route, Shift
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.shifts import close_shift
from payouts.management.demo.cast import Cast
from payouts.management.demo.points import make_ready

KEPT = 50_000  # kopecks that stay in a till for its winners
SHORT = 10  # kopecks that the first cashier gave as change


def hand_over(cast: Cast) -> Handover | None:
    """Send what each till has above `KEPT` to the cash desk, all of it on to the bank; return the last one received."""
    received, total = None, 0
    for till, cashier in zip(cast.tills, cast.cashiers, strict=True):
        amount = balance_of_guarded(till.ledger_account) - KEPT
        if amount > 0:
            given = announce_handover(route=Route.POINT_TO_DESK, amount=amount, given_by=cashier, till=till)
            received = receive_handover(handover=given, counted=amount, received_by=cast.drafter)
            total += amount
    if total:
        given = announce_handover(route=Route.DESK_TO_BANK, amount=total, given_by=cast.drafter, document="DEMO")
        receive_handover(handover=given, counted=total, received_by=cast.announcer)
    return received


def count_shifts(cast: Cast) -> Shift:
    """Close every shift with its count, ten kopecks short at the first till; open the next ones; return the first."""
    shifts = Shift.objects.filter(till__in=cast.tills, closed_at__isnull=True).select_related("till__ledger_account")
    closed = [_counted(shift, SHORT if place == 0 else 0) for place, shift in enumerate(shifts.order_by("till_id"))]
    for till in cast.tills:
        make_ready(till, cast.announcer)
    return closed[0]


def _counted(shift: Shift, short: int) -> Shift:
    counted = max(balance_of_guarded(shift.till.ledger_account) - short, 0)
    return close_shift(
        shift=shift, counted=counted, closed_by=shift.cashier, reason="Выдано как сдача." if short else ""
    )

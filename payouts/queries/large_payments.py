"""What is to be done before a large winning is paid at a till (K1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices

from accounts.models import BettingPoint, Till
from payouts.models import LargeApproval, LargePayment, Payable
from payouts.queries.central_desks import central_points, is_large


class LargeStep(TextChoices):
    """The step that comes next."""

    ELSEWHERE = "elsewhere"
    PREPARE = "prepare"
    WAIT = "wait"
    PAY = "pay"


@dataclass(frozen=True, slots=True)
class LargeOutlook:
    """The next step; `points` pay large winnings, `prepared` is what waits or is approved."""

    step: LargeStep
    points: Sequence[BettingPoint]
    prepared: LargePayment | None = None


def large_outlook(payable: Payable, till: Till, at: datetime) -> LargeOutlook | None:
    """Return what comes next for a large winning brought to this till; None for one that is not large."""
    if not is_large(payable, at):
        return None
    points = list(central_points())
    if till.point_id not in [point.pk for point in points]:
        return LargeOutlook(LargeStep.ELSEWHERE, points)
    of_ticket = LargePayment.objects.filter(pool_id=payable.pool_id, ticket=payable.ticket)
    prepared = of_ticket.order_by("-pk").first()
    if prepared is None or prepared.amount != payable.amount or prepared.point_id != till.point_id:
        return LargeOutlook(LargeStep.PREPARE, points)
    approved = LargeApproval.objects.filter(payment=prepared).exists()
    return LargeOutlook(LargeStep.PAY if approved else LargeStep.WAIT, points, prepared)

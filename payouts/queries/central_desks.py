"""Which points are central desks now, and from which winning on they alone pay."""

from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from accounts.models import BettingPoint
from payouts.models import WINNINGS, CentralDesk, Payable
from totalizator.core.legal import legal_numbers


def central_points() -> QuerySet[BettingPoint]:
    """Return the points that are central desks, by code."""
    latest = CentralDesk.objects.filter(point=OuterRef("pk")).order_by("-pk").values("is_central")[:1]
    return BettingPoint.objects.annotate(central=Subquery(latest)).filter(central=True).order_by("code")


def is_large(payable: Payable, at: datetime) -> bool:
    """Tell whether this is a winning that only a central desk pays in cash, by the number of the day."""
    return payable.kind in WINNINGS and payable.amount >= int(legal_numbers(at)["large_winning_from"])

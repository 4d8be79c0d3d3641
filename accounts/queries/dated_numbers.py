"""Which proposed values of dated numbers another person can still approve (N4)."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import NumberProposal
from totalizator.core.legal import legal_numbers
from totalizator.engine.deadlines import legal_day


def standing_numbers(now: datetime) -> QuerySet[NumberProposal]:
    """Return of each number and day the latest proposal, not decided or taken back, whose day is not too near."""
    later = NumberProposal.objects.filter(
        name=OuterRef("name"), valid_from=OuterRef("valid_from"), pk__gt=OuterRef("pk")
    )
    soonest = legal_day(now) + timedelta(days=int(legal_numbers(now)["number_change_lead_days"]))
    return NumberProposal.objects.filter(
        ~Exists(later), decision__isnull=True, withdrawn__isnull=True, valid_from__gte=soonest
    )

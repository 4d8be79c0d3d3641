"""Who has excluded themselves, and who may be written to at all (P2)."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.models import Exclusion, ExclusionKind, Person
from accounts.queries.standing import standing_of
from totalizator.core.legal import legal_numbers


def exclusions_to_forward() -> QuerySet[Exclusion]:
    """Return the self-exclusions that the keeper of the register was not told of yet, the oldest first."""
    waiting = Exclusion.objects.filter(kind=ExclusionKind.SELF_EXCLUSION, forwarded__isnull=True)
    return waiting.order_by("begins_at")


def exclusions_late_to_forward(at: datetime) -> QuerySet[Exclusion]:
    """Return those of them whose time to be sent on is over."""
    hours = int(legal_numbers(at)["exclusion_forward_hours"])
    return exclusions_to_forward().filter(begins_at__lt=at - timedelta(hours=hours))


def may_receive_marketing(person: Person, at: datetime) -> bool:
    """Tell whether advertisements may be sent: never to who is barred, for whatever reason, and never in doubt."""
    standing = standing_of(person, at)
    barred = standing.excluded_until is not None or standing.restricted or standing.insider or standing.trial
    return not barred and standing.may_bet and standing.verified and standing.register_is_fresh(at)


def marketing_audience(at: datetime) -> Iterator[Person]:
    """Yield the players to whom advertisements may be sent: what a campaign's export holds."""
    for person in Person.objects.filter(player__is_active=True, verification__isnull=False).iterator():
        if may_receive_marketing(person, at):
            yield person

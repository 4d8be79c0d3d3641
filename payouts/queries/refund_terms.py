"""By when a returned stake must be with who staked it, and after how long two people may decide about it (L1, D-12)."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.db.models import QuerySet

from payouts.models import Payable, PayableKind, PayableState
from pools.models import Pool
from totalizator.core.legal import legal_number_by_day, non_working_days
from totalizator.engine.deadlines import end_of_legal_day, legal_day, months_later, working_day

_LONGEST_HOLIDAYS = timedelta(days=30)


def refund_deadline(due_from: datetime) -> datetime:
    """Return the instant after which a refund that is due since `due_from` and not paid is overdue (L1).

    The end of the day that is so many days (a dated number) after the one on which it became due.
    """
    return refund_deadlines([due_from])[due_from]


def refund_deadlines(due_from: Collection[datetime]) -> Mapping[datetime, datetime]:
    """Return `refund_deadline` of each of these instants, all in one question."""
    days = {since: legal_day(since) for since in due_from}
    terms = legal_number_by_day("refund_days", set(days.values()))
    return {since: end_of_legal_day(day + timedelta(days=int(terms[day]))) for since, day in days.items()}


def limitation_end(due_from: datetime) -> datetime:
    """Return the instant from which a refund that nobody collected may be decided about (D-12).

    The end of the same day of the year so many years (a dated number) later, or of the next working day.
    """
    return limitation_ends([due_from])[due_from]


def limitation_ends(due_from: Collection[datetime]) -> Mapping[datetime, datetime]:
    """Return `limitation_end` of each of these instants, all in two questions."""
    days = {since: legal_day(since) for since in due_from}
    years = legal_number_by_day("refund_limitation_years", set(days.values()))
    last = {since: months_later(day, 12 * int(years[day])) for since, day in days.items()}
    off = non_working_days(min(last.values()), max(last.values()) + _LONGEST_HOLIDAYS) if last else ()
    return {since: end_of_legal_day(working_day(day, off)) for since, day in last.items()}


def uncollected_refunds() -> QuerySet[Payable]:
    """Return the refunds that wait for who brings the ticket; what goes to an account or card is not waited for."""
    return Payable.objects.filter(kind=PayableKind.REFUND, state=PayableState.DUE, pay_to__isnull=True)


def decidable_refunds(pool: Pool, at: datetime) -> QuerySet[Payable]:
    """Return the uncollected refunds of a pool whose limitation term is over at the instant `at` (D-12)."""
    mine = uncollected_refunds().filter(pool=pool)
    ends = limitation_ends(set(mine.values_list("payable_from", flat=True).distinct()))
    return mine.filter(payable_from__in=[since for since, end in ends.items() if end <= at])

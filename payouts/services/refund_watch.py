"""Watching over refunds: what is overdue, and what became decidable, is journalled once each (L1, D-12)."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db.models import Count, Q, QuerySet, Sum

from payouts.models import Payable, PayableKind, PayableState
from payouts.queries.refund_terms import limitation_end, refund_deadline, uncollected_refunds
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)
_JOB = "task:watch_refunds"


def watch_refunds() -> int:
    """Note the refunds that are overdue and those that became decidable; return how many notes were made.

    Of one pool all that became due at the same instant are one note, which is a significant event: so the organizer
    learns of it (N4). Run again it makes none.
    """
    due = Payable.objects.filter(kind=PayableKind.REFUND, state=PayableState.DUE)
    overdue = [since for code, since in _begun(due) if _note("refunds_overdue", code, since, refund_deadline)]
    late = _begun(uncollected_refunds())
    decidable = [since for code, since in late if _note("refunds_decidable", code, since, limitation_end)]
    return len(overdue) + len(decidable)


def _begun(refunds: QuerySet[Payable]) -> list[tuple[str, datetime]]:
    """Return the pools with such refunds, and since when they are due."""
    return sorted(set(refunds.values_list("pool__code", "payable_from").distinct()))


def _note(act: str, code: str, since: datetime, term: Callable[[datetime], datetime]) -> bool:
    at, end = clock.now(), term(since)
    if at < end:
        return False
    with one_transaction():
        known = JournalRecord.objects.filter(subject=f"pool:{code}", act=act, after__since=since.isoformat())
        if known.exists():
            return False
        told = {"since": since.isoformat(), "until": end.isoformat(), **_sums(code, since)}
        write_journal(at=at, actor=_JOB, act=act, subject=f"pool:{code}", after=told)
    logger.error("Refunds of pool %s, due since %s: %s.", code, since, act)
    return True


def _sums(code: str, since: datetime) -> dict[str, int]:
    """Return how many are still due and their sum, and of them those that wait for who brings the ticket."""
    due = Payable.objects.filter(
        pool__code=code, kind=PayableKind.REFUND, state=PayableState.DUE, payable_from=since
    ).aggregate(
        in_cash=Count("ticket", filter=Q(pay_to__isnull=True)),
        cash=Sum("amount", filter=Q(pay_to__isnull=True), default=0),
        tickets=Count("ticket"),
        amount=Sum("amount", default=0),
    )
    return {name: int(figure) for name, figure in due.items()}

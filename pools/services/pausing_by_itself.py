"""Pauses of all sales that a job makes, and ends, by itself (T2, U1)."""

from pools.locks import hold_pools_on_sale
from pools.models import Incident, IncidentState
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.transactions import one_transaction


def pause_by_itself(*, job: str, cause: str) -> Incident | None:
    """Stop all sales in the name of `job`; return None when a pause of its own stands already.

    It waits for bets that are being written, as every pause.
    """
    with one_transaction():
        hold_pools_on_sale()
        if Incident.objects.filter(job=job, state=IncidentState.OPEN).exists():
            return None
        at = clock.now()
        incident = Incident.objects.create(job=job, cause=cause, started_at=at, started_by=None)
        subject = f"incident:{incident.pk}"
        write_journal(at=at, actor=f"task:{job}", act="pause_sales", subject=subject, reason=cause)
        tell(EventKind.SALES_PAUSED, subject, {"job": job, "cause": cause}, at=at)
    return incident


def resume_by_itself(*, job: str, outcome: str) -> bool:
    """End the pause that `job` made; return False when there is none."""
    with one_transaction():
        at = clock.now()
        incident = Incident.objects.filter(job=job, state=IncidentState.OPEN).first()
        if incident is None:
            return False
        standing = Incident.objects.filter(pk=incident.pk, state=IncidentState.OPEN)
        if not standing.update(state=IncidentState.ENDED, ended_at=at, outcome=outcome):
            return False
        subject = f"incident:{incident.pk}"
        write_journal(at=at, actor=f"task:{job}", act="resume_sales", subject=subject, reason=outcome)
        tell(EventKind.SALES_RESUMED, subject, {"job": job}, at=at)
    return True

"""Readings of the business for the metrics: pools by state, what is late, what waits, whether the books held."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count
from prometheus_client.core import Metric

from accounts.models import Receipt, WhyOpen
from pools.models import Incident, IncidentState, Pool, PoolState
from pools.queries import pools_due_to_close, pools_due_to_commit, pools_due_to_settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.core.watching.vital_signs import gauge, gauges

LATE = timedelta(seconds=60)


def business() -> Iterator[Metric]:
    """Read everything; each reading is one question that an index answers."""
    now = clock.now()
    known = dict(Pool.objects.order_by().values_list("state").annotate(Count("pk")))
    by_state = {str(state): float(known.get(state, 0)) for state in PoolState.values}
    yield gauges("pools", "Pools, by their state", "state", by_state)
    waiting = {
        "closing": pools_due_to_close(now - LATE).count(),
        "sealing": pools_due_to_commit().filter(closed_at__lt=now - LATE).count(),
        "settling": pools_due_to_settle().count(),
    }
    yield gauges("pools_waiting", "Pools whose next act is due", "act", {act: float(n) for act, n in waiting.items()})
    unmatched = Receipt.objects.exclude(why__in=[WhyOpen.NEW, WhyOpen.PLACED]).count()
    yield gauge("unmatched_payments", "Payments that came and have no place", unmatched)
    paused = Incident.objects.filter(state=IncidentState.OPEN)
    everything = paused.filter(pool=None, channel="", point=None).count()
    counted = {"everything": float(everything), "part": float(paused.count() - everything)}
    yield gauges("selling_paused", "Pauses of sales that last", "of", counted)
    yield from _reconciled()


def _reconciled() -> Iterator[Metric]:
    last = JournalRecord.objects.filter(subject="ledger", act="reconcile").order_by("-id").first()
    if last is not None:
        yield gauge("reconcile_broken", "Proofs that did not hold at the last run", len((last.after or {})["broken"]))
        age = max(clock.now() - last.at, timedelta()).total_seconds()
        yield gauge("reconcile_age_seconds", "Since the proofs of the books were last run", age)

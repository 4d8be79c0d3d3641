"""Which pools wait for a job. Work is found by state, so that a lost message only delays it."""

from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from pools.models import Pool, PoolState, Protocol, SettlementState


def pools_due_to_open(now: datetime) -> QuerySet[Pool]:
    """Announced pools whose opening has come and whose closing has not."""
    return Pool.objects.filter(state=PoolState.ANNOUNCED, opens_at__lte=now, closes_at__gt=now)


def pools_due_to_close(now: datetime) -> QuerySet[Pool]:
    """Pools on sale whose closing has come, those too that no job had opened."""
    return Pool.objects.filter(state__in=[PoolState.ANNOUNCED, PoolState.OPEN], closes_at__lte=now)


def pools_due_to_commit() -> QuerySet[Pool]:
    """Closed pools whose bets are not sealed yet: the process died between the two."""
    return Pool.objects.filter(state=PoolState.CLOSED, commitment__isnull=True)


def pools_due_to_settle() -> QuerySet[Pool]:
    """Resulted pools, less those that wait for people: two computations differ (I9), a version is unsigned (H5)."""
    newest = Protocol.objects.filter(pool=OuterRef("pk")).order_by("-version").values("sealed_at")[:1]
    resulted = Pool.objects.filter(state=PoolState.RESULTED).alias(sealed_at=Subquery(newest))
    return resulted.filter(sealed_at__isnull=False).exclude(settlement__state=SettlementState.DISPUTED)

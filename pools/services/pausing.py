"""Pausing sales of a pool, in a channel, at a point, and resuming them (T2)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, User
from accounts.services.staff import refuse_all_but_staff, written
from pools.locks import find_pool, hold_pools_on_sale, lock_pool
from pools.models import Channel, Incident, IncidentState
from pools.services.attempts import Attempt
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.transactions import one_transaction


def pause_sales(
    *,
    cause: str,
    paused_by: User,
    pool_code: str | None = None,
    channel: Channel | None = None,
    point: BettingPoint | None = None,
) -> Incident:
    """Stop the sales that all of pool, channel and point name together; nothing named stops everything.

    It waits for bets that are being written: none that it is about is registered at or after `started_at`.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a cause; NOT_FOUND.
    """
    refuse_all_but_staff(paused_by)
    cause = written(cause, field="cause", most=2000)
    pool = find_pool(pool_code) if pool_code is not None else None
    with one_transaction():
        if pool is not None:
            lock_pool(pool.code)
        else:
            hold_pools_on_sale()
        incident = Incident.objects.create(
            pool=pool,
            channel=channel or "",
            point=point,
            cause=cause,
            started_at=clock.now(),
            started_by=paused_by,
        )
        subject, at = f"incident:{incident.pk}", incident.started_at
        paused = {
            "pool": pool.code if pool is not None else None,
            "channel": channel,
            "point": point.code if point is not None else None,
        }
        write_journal(at=at, actor=paused_by.actor, act="pause_sales", subject=subject, reason=cause, after=paused)
        tell(EventKind.SALES_PAUSED, subject, paused, at=at)
    return incident


def resume_sales(*, incident: Incident, outcome: str, resumed_by: User) -> Incident:
    """End a pause; sales go on unless another one stops them.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without an outcome; WRONG_STATE when it has ended before.
    """
    refuse_all_but_staff(resumed_by)
    outcome = written(outcome, field="outcome", most=2000)
    with one_transaction():
        at = clock.now()
        ended = Incident.objects.filter(pk=incident.pk, state=IncidentState.OPEN).update(
            state=IncidentState.ENDED, ended_at=at, ended_by=resumed_by, outcome=outcome
        )
        if not ended:
            raise DomainError(Refusal.WRONG_STATE, _("This pause has ended."))
        write_journal(
            at=at, actor=resumed_by.actor, act="resume_sales", subject=f"incident:{incident.pk}", reason=outcome
        )
        tell(EventKind.SALES_RESUMED, f"incident:{incident.pk}", {}, at=at)
    incident.refresh_from_db()
    return incident


def refuse_paused(attempt: Attempt) -> None:
    """Refuse a bet whose pool, channel or point is paused.

    :raises DomainError: SALES_PAUSED, with when the pause began.
    """
    since = attempt.paused_since
    if since is not None:
        raise DomainError(Refusal.SALES_PAUSED, _("Sales are paused; please try again later."), since=since)

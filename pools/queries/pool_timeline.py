"""What happened to a pool, and what is to come, in order: for who leads it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pools.models import Cancellation, Commitment, Correction, Pool, Protocol, Settlement


@dataclass(frozen=True, slots=True)
class Moment:
    """Something of a pool's life; `at` is to come, or was. By whom, where a person did it."""

    title: str | Promise
    at: datetime
    by: User | None = None


def timeline_of(pool: Pool) -> list[Moment]:
    """Return it from the first moment on."""
    found = [Moment(_("prepared"), pool.prepared_at, pool.prepared_by)]
    if pool.announced_at is not None:
        found.append(Moment(_("announced"), pool.announced_at, pool.announced_by))
    found += [*_sales(pool), *_result(pool), *_money(pool)]
    return sorted(found, key=lambda moment: moment.at)


def _sales(pool: Pool) -> Iterator[Moment]:
    cancelled: Cancellation | None = getattr(pool, "cancellation", None)
    if cancelled is None or pool.opens_at <= cancelled.cancelled_at:
        yield Moment(_("opens for bets"), pool.opens_at)
    if pool.closed_at is not None or cancelled is None:
        yield Moment(_("closes"), pool.closed_at or pool.closes_at)
    if cancelled is not None:
        yield Moment(_("cancelled; every stake is returned"), cancelled.cancelled_at, cancelled.approved_by)


def _result(pool: Pool) -> Iterator[Moment]:
    commitment: Commitment | None = getattr(pool, "commitment", None)
    if commitment is not None:
        yield Moment(_("bets sealed and committed to"), commitment.committed_at)
    for protocol in Protocol.objects.filter(pool=pool).order_by("version"):
        yield Moment(_("protocol drawn up"), protocol.drawn_up_at)
        if protocol.sealed_at is not None:
            yield Moment(_("protocol sealed"), protocol.sealed_at)


def _money(pool: Pool) -> Iterator[Moment]:
    settlement: Settlement | None = getattr(pool, "settlement", None)
    if settlement is not None and settlement.official_at is not None:
        moments = (
            (_("settlement official"), settlement.official_at),
            (_("winnings are paid from"), settlement.payable_from),
            (_("winnings are paid until"), settlement.payable_until),
        )
        yield from (Moment(title, at) for title, at in moments if at is not None)
    correction: Correction | None = getattr(pool, "correction", None)
    if correction is not None and correction.official_at is not None:
        yield Moment(_("settlement corrected"), correction.official_at)

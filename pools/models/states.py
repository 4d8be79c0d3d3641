"""The life of a pool: one table of allowed moves, one way to make one (docs/states.md)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.engine.instants import instant_text

if TYPE_CHECKING:
    from pools.models.pools import Pool


class PoolState(TextChoices):
    """Where a pool stands."""

    DRAFT = "draft", _("draft")
    ANNOUNCED = "announced", _("announced")
    OPEN = "open", _("open for bets")
    CLOSED = "closed", _("closed")
    RESULTED = "resulted", _("resulted")
    SETTLED = "settled", _("settled")
    ARCHIVED = "archived", _("archived")
    CANCELLED = "cancelled", pgettext_lazy("a pool", "cancelled")


MOVES: Mapping[PoolState, frozenset[PoolState]] = {
    PoolState.DRAFT: frozenset({PoolState.ANNOUNCED}),
    PoolState.ANNOUNCED: frozenset({PoolState.OPEN, PoolState.CANCELLED}),
    PoolState.OPEN: frozenset({PoolState.CLOSED, PoolState.CANCELLED}),
    PoolState.CLOSED: frozenset({PoolState.RESULTED, PoolState.CANCELLED}),
    PoolState.RESULTED: frozenset({PoolState.SETTLED}),
    PoolState.SETTLED: frozenset({PoolState.ARCHIVED}),
    PoolState.ARCHIVED: frozenset(),
    PoolState.CANCELLED: frozenset(),
}


def move(pool: "Pool", to: PoolState, **changes: Any) -> None:
    """Take `pool` from the state it was read in to `to`, setting `changes`, if nobody moved it meanwhile.

    :raises DomainError: WRONG_STATE when the table does not allow the move, or the row has moved on.
    """
    came_from = PoolState(pool.state)
    moved = 0
    if to in MOVES[came_from]:
        moved = type(pool).objects.filter(pk=pool.pk, state=came_from).update(state=to, **changes)
    if not moved:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The pool is %(state)s; it cannot become %(wanted)s.") % {"state": came_from.label, "wanted": to.label},
            state=came_from.value,
        )
    pool.state = to
    for name, value in changes.items():
        setattr(pool, name, value)
    tell(EventKind(f"pool.{to}"), f"pool:{pool.code}", _facts(pool), at=clock.now())


def _facts(pool: "Pool") -> dict[str, Any]:
    """Return what everybody may know of a pool that has moved."""
    return {
        "game": pool.game,
        "terms": pool.terms_digest,
        "opens_at": instant_text(pool.opens_at),
        "closes_at": instant_text(pool.closes_at),
        "closed_at": instant_text(pool.closed_at) if pool.closed_at is not None else None,
        "draws_jackpot": pool.draws_jackpot,
    }

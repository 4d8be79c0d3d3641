"""Whether the two computations of each settlement agree: what the status page and its JSON tell (X13)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Q, TextChoices, Value, When
from django.utils.translation import gettext_lazy as _

from pools.models import Computed, Pool, PoolState, SettlementState
from pools.queries.corrections import pools_due_to_correct

MOST_SHOWN = 100


class Standing(TextChoices):
    """How far the two computations of a pool are."""

    AGREE = "agree", _("both computations agree")
    DIFFER = "differ", _("the computations differ: nothing is paid")
    SECOND = "second", _("the second computation is under way: nothing is paid yet")
    FIRST = "first", _("the first computation is under way: nothing is paid yet")


@dataclass(frozen=True, slots=True)
class Agreement:
    """A pool with a sealed result. `place` is where the computations part, without anybody's bet."""

    pool: Pool
    standing: Standing
    calculated_at: datetime | None
    official_at: datetime | None
    place: str
    release: str

    @property
    def differs(self) -> bool:
        """Whether people have to look at it."""
        return self.standing == Standing.DIFFER


_STANDINGS = {
    SettlementState.OFFICIAL: Standing.AGREE,
    SettlementState.DISPUTED: Standing.DIFFER,
    SettlementState.CALCULATED: Standing.SECOND,
    SettlementState.WRITING: Standing.FIRST,
}


def agreements(most: int = MOST_SHOWN) -> list[Agreement]:
    """Return pools with a sealed result: those that differ first, then those under way, then the newest."""
    known = (PoolState.RESULTED, PoolState.SETTLED, PoolState.ARCHIVED)
    correcting = set(pools_due_to_correct().values_list("pk", flat=True))
    disputed = Q(settlement__state=SettlementState.DISPUTED) | Q(correction__state=SettlementState.DISPUTED)
    urgency = Case(
        When(disputed, then=Value(0)),
        When(Q(state=PoolState.RESULTED) | Q(pk__in=correcting), then=Value(1)),
        default=Value(2),
    )
    pools = Pool.objects.filter(state__in=known).select_related("settlement", "correction").alias(urgency=urgency)
    return [_agreement(pool, correcting) for pool in pools.order_by("urgency", "-closes_at", "code")[:most]]


def _agreement(pool: Pool, correcting: Collection[int]) -> Agreement:
    """Tell of the correction where there is one, or one is to be computed (H5), else of the settlement."""
    settlement: Computed | None = getattr(pool, "correction", None)
    if settlement is None and pool.pk not in correcting:
        settlement = getattr(pool, "settlement", None)
    if settlement is None:
        return Agreement(pool, Standing.FIRST, None, None, "", "")
    return Agreement(
        pool,
        _STANDINGS[SettlementState(settlement.state)],
        settlement.calculated_at,
        settlement.official_at,
        # Before settlement nobody sees others' bets: only the file and the place, not what stands there.
        settlement.difference.partition(": ")[0],
        settlement.release,
    )

"""Whether a pool's protocol can still be sealed, now that keys were revoked and conflicts declared (¶10, X5)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accounts.models import Role
from pools.models import CommissionKey, Pool, PoolState
from pools.services.conflicts import all_in_conflict
from totalizator.engine.announced import Quorum

_UNSEALED = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED)


@dataclass(frozen=True, slots=True)
class SealingOutlook:
    """Whose signatures can count: keys of the quorum in force, of members who may decide; and how many must."""

    able: tuple[str, ...]
    need: int

    @property
    def is_short(self) -> bool:
        """Whether too few are left: such a pool can only be cancelled by two people, and every stake goes back."""
        return len(self.able) < self.need


def sealing_outlook(pool: Pool) -> SealingOutlook:
    """Return who can still sign. Announced terms never change, so no new key takes the place of a lost one."""
    return sealing_outlooks([pool])[pool.pk]


def sealing_outlooks(pools: Sequence[Pool]) -> dict[int, SealingOutlook]:
    """Return of each pool, by its number, who can still sign; as many questions for many pools as for one."""
    quorums = {pool.pk: _quorum(pool) for pool in pools}
    able = CommissionKey.objects.filter(
        key_id__in={key for quorum in quorums.values() for key in quorum.members},
        revoked_at__isnull=True,
        member__role=Role.COMMISSION,
        member__is_active=True,
    )
    members, out = dict(able.values_list("key_id", "member_id")), all_in_conflict(pools)
    return {
        pool: SealingOutlook(
            tuple(key for key in quorum.members if key in members and members[key] not in out[pool]), quorum.need
        )
        for pool, quorum in quorums.items()
    }


def pools_short_of_signers(pools: Iterable[Pool] | None = None) -> list[tuple[Pool, SealingOutlook]]:
    """Return the pools without a sealed result that nobody can seal any more, of those given or of all."""
    asked = pools if pools is not None else Pool.objects.filter(state__in=_UNSEALED).order_by("closes_at")
    waiting = [pool for pool in asked if pool.state in _UNSEALED]
    outlooks = sealing_outlooks(waiting) if waiting else {}
    return [(pool, outlooks[pool.pk]) for pool in waiting if outlooks[pool.pk].is_short]


def _quorum(pool: Pool) -> Quorum:
    quorum = pool.terms.quorum
    assert quorum is not None, f"pool {pool.code} was announced without a quorum"
    return quorum

"""Whether a pool's protocol can still be sealed, now that keys were revoked and conflicts declared (¶10, X5)."""

from collections.abc import Iterable
from dataclasses import dataclass

from accounts.models import Role
from pools.models import CommissionKey, Pool, PoolState
from pools.services.conflicts import in_conflict

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
    quorum = pool.terms.quorum
    assert quorum is not None, f"pool {pool.code} was announced without a quorum"
    able = CommissionKey.objects.filter(
        key_id__in=quorum.members,
        revoked_at__isnull=True,
        member__role=Role.COMMISSION,
        member__is_active=True,
    ).exclude(member__in=in_conflict(pool))
    found = set(able.values_list("key_id", flat=True))
    return SealingOutlook(tuple(key for key in quorum.members if key in found), quorum.need)


def pools_short_of_signers(pools: Iterable[Pool] | None = None) -> list[tuple[Pool, SealingOutlook]]:
    """Return the pools without a sealed result that nobody can seal any more, of those given or of all."""
    waiting = pools if pools is not None else Pool.objects.filter(state__in=_UNSEALED).order_by("closes_at")
    outlooks = [(pool, sealing_outlook(pool)) for pool in waiting if pool.state in _UNSEALED]
    return [(pool, outlook) for pool, outlook in outlooks if outlook.is_short]

"""What waits for a commission: pools whose result or protocol is not done, and for whom each waits (¶10, H1, H2)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from pools.models import Commitment, ConflictDeclaration, Pool, PoolState, Protocol, ProtocolSignature, ResultEntry
from pools.queries.corrections import pools_being_corrected


class Step(StrEnum):
    """What a pool waits for."""

    SEALING = "sealing"
    ENTRY = "entry"
    OTHER_ENTRY = "other-entry"
    DIFFERING = "differing"
    CORRECTION = "correction"
    SIGNATURE = "signature"
    OTHER_SIGNATURES = "other-signatures"
    CONFLICT = "conflict"


MINE = (Step.DIFFERING, Step.CORRECTION, Step.SIGNATURE, Step.ENTRY)
"""What waits for the member who asks."""

TO_CLOSE = (PoolState.ANNOUNCED, PoolState.OPEN)
_CORRECTABLE = (PoolState.RESULTED, PoolState.SETTLED)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pool of the member's commission, what it waits for, and since when.

    `given` of `need`: signatures that count, under the protocol that is being signed. `corrects`: what is entered is a
    correction. `stops_paying`: until the protocol is sealed or given up nothing of this settled pool is paid (H5).
    """

    pool: Pool
    step: Step
    since: datetime | None
    given: int = 0
    need: int = 0
    corrects: bool = False
    stops_paying: bool = False

    @property
    def mine(self) -> bool:
        """Whether it waits for the member who asks."""
        return self.step in MINE

    @property
    def lacking(self) -> int:
        """How many signatures are still needed."""
        return max(0, self.need - self.given)


def pools_in_hand(member: User) -> list[Any]:
    """Return the pools of the member's commissions that are still to close or not decided, the first to close first.

    Each tells beside itself whether its bets are sealed: `is_committed`.
    """
    committed = Exists(Commitment.objects.filter(pool=OuterRef("pk")))
    found = _member_pools(member).filter(Q(state__in=TO_CLOSE) | _undecided(member))
    return list(found.annotate(is_committed=committed).order_by("closes_at", "pk"))


def waiting_for(member: User, in_hand: Sequence[Any] | None = None) -> list[Waiting]:
    """Return what waits in the member's commissions: what waits for the member first, then the longest.

    The number of questions to the database does not grow with the number of pools; `in_hand`: what was read of them.
    """
    pools = [pool for pool in (pools_in_hand(member) if in_hand is None else in_hand) if pool.state not in TO_CLOSE]
    sheets = _Sheets(pools, member)
    waiting = [sheets.waiting(pool) for pool in pools]
    return sorted(waiting, key=lambda each: (not each.mine, each.since or each.pool.closes_at, each.pool.code))


def _member_pools(member: User) -> QuerySet[Pool]:
    newest = Protocol.objects.order_by("-version").filter(pool=OuterRef("pk"))
    return Pool.objects.filter(members__member=member).alias(
        newest=Subquery(newest.values("version")[:1]), sealed_at=Subquery(newest.values("sealed_at")[:1])
    )


def _undecided(member: User) -> Q:
    versions = Protocol.objects.order_by("-version")
    resulted = Q(state=PoolState.RESULTED, newest__gt=1, sealed_at__isnull=True)
    corrected = Q(pk__in=pools_being_corrected().values("pk"), sealed_at__isnull=True)
    drawn_up = versions.filter(pool=OuterRef("pool")).values("attempt")[:1]
    begun = ResultEntry.objects.filter(pool__members__member=member, corrects__gt=0)
    begun = begun.alias(drawn_up=Subquery(drawn_up)).filter(attempt__gt=F("drawn_up"))
    return Q(state=PoolState.CLOSED) | resulted | corrected | Q(pk__in=begun.values("pool"), state__in=_CORRECTABLE)


class _Sheets:
    """All that is asked of the database of these pools, at once."""

    def __init__(self, pools: Sequence[Any], member: User) -> None:
        self.member = member
        self.committed = {pool.pk for pool in pools if pool.is_committed}
        self.newest: dict[int, Protocol] = {}
        for protocol in Protocol.objects.filter(pool__in=pools).order_by("version"):
            self.newest[protocol.pool_id] = protocol
        self.entries = _by_pool(ResultEntry.objects.filter(pool__in=pools).order_by("attempt", "entered_at"))
        self.conflicts = _by_pool(ConflictDeclaration.objects.filter(pool__in=pools))
        self.signatures = _by_pool(ProtocolSignature.objects.filter(pool__in=pools).select_related("key"))

    def waiting(self, pool: Pool) -> Waiting:
        """Tell what one pool waits for."""
        out = {each.member_id for each in self.conflicts[pool.pk]}
        protocol, last = self.newest.get(pool.pk), self._last_attempt(pool)
        if protocol is not None and (not last or last[0].attempt <= protocol.attempt):
            return self._signing(pool, protocol, out)
        if pool.pk not in self.committed:
            return Waiting(pool, Step.SEALING, pool.closed_at)
        since, corrects = last[-1].entered_at if last else pool.closed_at, protocol is not None
        if self.member.pk in out:
            return Waiting(pool, Step.CONFLICT, since)
        if len(last) == 2:
            return Waiting(pool, Step.DIFFERING, since, corrects=corrects)
        if any(entry.member_id == self.member.pk for entry in last):
            return Waiting(pool, Step.OTHER_ENTRY, since, corrects=corrects)
        return Waiting(pool, Step.CORRECTION if corrects else Step.ENTRY, since, corrects=corrects)

    def _signing(self, pool: Pool, protocol: Protocol, out: set[int]) -> Waiting:
        under = [each for each in self.signatures[pool.pk] if each.version == protocol.version]
        counted = [each for each in under if each.key.revoked_at is None and each.key.member_id not in out]
        step = Step.SIGNATURE
        if self.member.pk in out:
            step = Step.CONFLICT
        elif any(each.key.member_id == self.member.pk for each in under):
            step = Step.OTHER_SIGNATURES
        need = pool.terms.quorum.need if pool.terms.quorum else 0
        stops_paying = pool.state == PoolState.SETTLED
        return Waiting(pool, step, protocol.drawn_up_at, len(counted), need, stops_paying=stops_paying)

    def _last_attempt(self, pool: Pool) -> list[ResultEntry]:
        entries = self.entries[pool.pk]
        return [entry for entry in entries if entry.attempt == entries[-1].attempt]


def _by_pool(rows: Any) -> Mapping[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.pool_id].append(row)
    return found

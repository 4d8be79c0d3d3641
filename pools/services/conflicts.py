"""Who must not decide a pool: a member who declared a conflict, or has a bet in it (¶10, H1)."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Insider, Person, User
from accounts.services.staff import written
from pools.locks import lock_pool
from pools.models import Bet, ConflictDeclaration, Pool, PoolMember, PoolState
from pools.queries.corrections import can_be_corrected
from pools.services.commission import only_member
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_AFTER_DECIDING = (PoolState.SETTLED, PoolState.ARCHIVED, PoolState.CANCELLED)


def declare_conflict(*, code: str, member: User, reason: str) -> ConflictDeclaration:
    """Declare that a member must not decide this pool; from then on nothing of theirs counts in it.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission; BAD_VALUE without a reason;
        WRONG_STATE when it was declared before, and once the pool is cancelled, or settled and corrected.
    """
    reason = written(reason, field="reason", most=500)
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        if pool.state in _AFTER_DECIDING and not can_be_corrected(pool):
            raise DomainError(Refusal.WRONG_STATE, _("Nothing of this pool is left to decide."), field="pool")
        if ConflictDeclaration.objects.filter(pool=pool, member=member).exists():
            raise DomainError(Refusal.WRONG_STATE, _("You have declared a conflict in this pool."), field="pool")
        at = clock.now()
        declared = ConflictDeclaration.objects.create(pool=pool, member=member, reason=reason, declared_at=at)
        write_journal(at=at, actor=member.actor, act="declare_conflict", subject=f"pool:{code}", reason=reason)
    return declared


def refuse_conflict(pool: Pool, member: User) -> None:
    """Refuse a member who must not decide this pool.

    :raises DomainError: CONFLICT, with `bet` true when it is for a bet.
    """
    if ConflictDeclaration.objects.filter(pool=pool, member=member).exists():
        raise DomainError(Refusal.CONFLICT, _("You have declared a conflict in this pool."), bet=False)
    if has_bet(pool, member):
        raise DomainError(Refusal.CONFLICT, _("Who has a bet in this pool does not decide it (¶10)."), bet=True)


def in_conflict(pool: Pool) -> frozenset[int]:
    """Return the members, by their number, who must not decide this pool."""
    return all_in_conflict([pool])[pool.pk]


def all_in_conflict(pools: Sequence[Pool]) -> dict[int, frozenset[int]]:
    """Return of each pool, by its number, the members who must not decide it; as many questions for many as for one."""
    declared = ConflictDeclaration.objects.filter(pool=OuterRef("pool"), member=OuterRef("member"))
    rows = PoolMember.objects.filter(pool__in=pools).annotate(has_declared=Exists(declared))
    found: dict[int, set[int]] = {pool.pk: set() for pool in pools}
    members: dict[int, set[int]] = {pool.pk: set() for pool in pools}
    for pool, member, has_declared in rows.values_list("pool_id", "member_id", "has_declared"):
        members[pool].add(member)
        if has_declared:
            found[pool].add(member)
    for pool, bettors in _with_bets(pools, set().union(*members.values())).items():
        found[pool] |= bettors & members[pool]
    return {pool: frozenset(of_pool) for pool, of_pool in found.items()}


def has_bet(pool: Pool, member: User) -> bool:
    """Tell whether the member has a bet in the pool: under a log-in of theirs, or as a person whom a desk knew.

    The person is found by the log-in, and by the identity number that is on the list of insiders (E6).
    """
    return member.pk in _with_bets([pool], {member.pk})[pool.pk]


def _with_bets(pools: Sequence[Pool], members: Collection[int]) -> dict[int, set[int]]:
    """Return of each pool which of these people have a bet in it."""
    by_player: dict[int, set[int]] = defaultdict(set, {member: {member} for member in members})
    by_person: dict[int, set[int]] = defaultdict(set)
    insiders: dict[bytes, set[int]] = defaultdict(set)
    for number_digest, member in Insider.objects.filter(user__in=members).values_list("number_digest", "user_id"):
        insiders[bytes(number_digest)].add(member)
    known = Person.objects.filter(Q(player__in=members) | Q(number_digest__in=insiders))
    for person, player, digest in known.values_list("pk", "player_id", "number_digest"):
        whose = insiders.get(bytes(digest or b""), set()) | ({player} & set(members))
        by_person[person] |= whose
        if player:
            by_player[player] |= whose
    found: dict[int, set[int]] = {pool.pk: set() for pool in pools}
    for column, whose_of in (("player_id", by_player), ("person_id", by_person)):
        bets = Bet.objects.filter(pool__in=pools, **{f"{column}__in": list(whose_of)})
        for pool, who in bets.values_list("pool_id", column).distinct():
            found[pool] |= whose_of[who]
    return found

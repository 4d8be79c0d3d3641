"""Who must not decide a pool: a member who declared a conflict, or has a bet in it (¶10, H1)."""

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Insider, Person, User
from accounts.services.staff import written
from pools.locks import lock_pool
from pools.models import Bet, ConflictDeclaration, Pool, PoolState
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
    declared = set(ConflictDeclaration.objects.filter(pool=pool).values_list("member_id", flat=True))
    members = [row.member for row in pool.members.select_related("member")]
    return frozenset(declared | {member.pk for member in members if has_bet(pool, member)})


def has_bet(pool: Pool, member: User) -> bool:
    """Tell whether the member has a bet in the pool: under a log-in of theirs, or as a person whom a desk knew.

    The person is found by the log-in, and by the identity number that is on the list of insiders (E6).
    """
    digests = list(Insider.objects.filter(user=member).values_list("number_digest", flat=True))
    known = Person.objects.filter(Q(player=member) | Q(number_digest__in=digests)).values_list("pk", "player_id")
    persons, players = {pk for pk, _player in known}, {member.pk} | {player for _pk, player in known if player}
    bets = Bet.objects.filter(pool=pool)
    return bets.filter(player__in=players).exists() or bets.filter(person__in=persons).exists()

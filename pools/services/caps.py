"""Caps on what is staked: on one coupon, by one player in a pool, at one point in a pool (B6).

A cap is a dated legal number in kopecks; none entered, or 0, is no cap. They bind every channel alike.
"""

from django.db.models import Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Entry, LedgerAccount
from pools.models import Pool
from pools.queries.played import staked_in_pool
from pools.services.attempts import Attempt
from totalizator.core.advisory import LockSpace, lock_exclusive
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.money import format_byn

COUPON_CAP = "coupon_cap"
PLAYER_CAP = "player_pool_cap"
POINT_CAP = "point_pool_cap"


def refuse_over_caps(attempt: Attempt) -> None:
    """Refuse a stake that would pass a cap.

    :raises DomainError: BAD_STAKE naming the cap and its amount.
    """
    numbers, pool, source = legal_numbers(attempt.now), attempt.pool, attempt.source
    if cap := int(numbers.get(COUPON_CAP, 0)):
        _refuse_over(cap, attempt.largest, _("One coupon may cost at most %(cap)s."))
    if (cap := int(numbers.get(PLAYER_CAP, 0))) and attempt.person is not None:
        # The person is held, so no other bet of the player is under way.
        staked = staked_in_pool(attempt.person, pool) + attempt.stake
        _refuse_over(cap, staked, _("A player may stake at most %(cap)s in one pool."))
    if (cap := int(numbers.get(POINT_CAP, 0))) and source.till is not None:
        lock_exclusive(LockSpace.POINT, source.till.point_id)
        tills = LedgerAccount.objects.filter(till__point_id=source.till.point_id)
        staked = _staked(pool, list(tills)) + attempt.stake
        _refuse_over(cap, staked, _("A betting point may take at most %(cap)s in one pool."))


def _staked(pool: Pool, accounts: list[LedgerAccount]) -> int:
    total = Entry.objects.filter(book=pool.pk, debit__in=accounts).aggregate(total=Sum("amount"))["total"]
    return int(total or 0)


def _refuse_over(cap: int, amount: int, message: str | Promise) -> None:
    if amount > cap:
        raise DomainError(
            Refusal.BAD_STAKE, str(message) % {"cap": format_byn(cap)}, field="stake", cap=cap, amount=amount
        )

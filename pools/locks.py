"""Locks of this app. The order of all locks: docs/locking.md.

A bet being written holds the pool shared; closing, cancelling, sealing and settling hold it alone. So closing waits
for bets being written and lets none in after (D-11).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import JackpotGame
from pools.models import BetOrder, PaperForm, Pool, PoolSketch, PoolState, SettlingRange, jackpot_owner
from totalizator.core.advisory import LockSpace, lock_exclusive, lock_shared
from totalizator.core.clock import NOW_SQL
from totalizator.core.columns import array
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.prepared import prepared_cursor, rows_of


def hold_pool_shared(pool_id: int) -> tuple[str, datetime]:
    """Hold the pool together with other bets; return its state and the instant, both read after the lock."""
    lock_shared(LockSpace.POOL, pool_id)
    with prepared_cursor() as cursor:
        cursor.execute(f"SELECT state, {NOW_SQL} FROM pools_pool WHERE id = %s", [pool_id])
        state, instant = cursor.fetchone()
    return state, instant


def hold_for_bet(pool_id: int, person_id: int | None) -> None:
    """Hold the pool together with other bets, then alone the play of who is known, as `hold_play_of`.

    What is read in another statement after this stands until the transaction ends.
    """
    if person_id is None:
        lock_shared(LockSpace.POOL, pool_id)
        return
    with prepared_cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock_shared(%s, %s), pg_advisory_xact_lock(%s, %s)",
            [int(LockSpace.POOL), pool_id, int(LockSpace.PERSON), person_id],
        )


def hold_for_bets(pool_id: int, person_ids: Sequence[int]) -> Iterable[bool]:
    """Hold what `hold_for_bet` holds, of several persons, as far as nobody else holds it; return for whom all is held.

    Several are wanted at once, so nothing is waited for: no two can then wait for each other.
    """
    held = rows_of(
        "SELECT p.held AND pg_try_advisory_xact_lock(%s, w.id)"
        " FROM (SELECT pg_try_advisory_xact_lock_shared(%s, %s) AS held OFFSET 0) AS p"
        " CROSS JOIN unnest(%s::int[]) WITH ORDINALITY AS w (id, nth) ORDER BY w.nth",
        [int(LockSpace.PERSON), int(LockSpace.POOL), pool_id, array("bigint", person_ids)],
    )
    return (all_held for (all_held,) in held)


def lock_pool(code: str) -> Pool:
    """Hold the pool alone until the transaction ends, and return it as it is now.

    :raises DomainError: NOT_FOUND.
    """
    pool = find_pool(code)
    lock_exclusive(LockSpace.POOL, pool.pk)
    pool.refresh_from_db()
    return pool


def hold_pools_on_sale() -> None:
    """Hold every pool that may be taking bets alone, in the order of their ids, until the transaction ends."""
    on_sale = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN)).order_by("pk")
    for pool_id in on_sale.values_list("pk", flat=True):
        lock_exclusive(LockSpace.POOL, pool_id)


def find_pool(code: str) -> Pool:
    """Return the pool with this code; :raises DomainError: NOT_FOUND."""
    pool = Pool.objects.filter(code=code).first()
    if pool is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no pool %(code)s.") % {"code": code}, field="pool")
    return pool


def lock_jackpot(game: str) -> None:
    """Hold the jackpot that the game draws alone until the transaction ends: two pools never draw the same money."""
    lock_exclusive(LockSpace.JACKPOT, JackpotGame.values.index(jackpot_owner(game)))


def lock_public_log() -> None:
    """Append to the public log alone until the transaction ends: its indexes have no gaps and keep their order."""
    lock_exclusive(LockSpace.PUBLIC_LOG, 0)


def lock_bet_order(number: int) -> BetOrder | None:
    """Lock an order for a bet until the transaction ends, after the receipt that may pay it, before its pool."""
    locked = BetOrder.objects.select_for_update(no_key=True, of=("self",)).select_related("pool", "person")
    return locked.filter(pk=number).first()


def lock_paper_form(number: int) -> PaperForm | None:
    """Lock a paper form until the transaction ends, before its pool."""
    locked = PaperForm.objects.select_for_update(no_key=True, of=("self",))
    related = locked.select_related("pool", "register", "till__ledger_account", "entered_by", "person")
    return related.filter(pk=number).first()


def lock_sketch(number: int, owner_id: int) -> PoolSketch | None:
    """Lock what a person is making up until the transaction ends, before its pool."""
    return PoolSketch.objects.select_for_update(no_key=True, of=("self",)).filter(pk=number, owner_id=owner_id).first()


def lock_settling_range(pool_id: int, *, wait: bool, **undone: object) -> SettlingRange | None:
    """Lock a range of a pool's bets that lacks something until the transaction ends, without any other lock before it.

    One that nobody works at; with `wait`, the first, once its holder is done with it: then None if it lacks no more.
    """
    ranges = SettlingRange.objects.select_for_update(no_key=True, of=("self",), skip_locked=not wait)
    return ranges.filter(pool_id=pool_id, **undone).order_by("number").first()

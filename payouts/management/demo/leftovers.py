"""What earlier runs left behind, killed ones too: pools still in play are cancelled, so that nobody's money hangs."""

import re

from payouts.management.demo.cast import Cast
from pools.models import Pool, PoolState
from pools.services.cancelling import approve_cancellation, propose_cancellation

CODE = re.compile(r"D([1-9][0-9]*)-[0-9]+")
IN_PLAY = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED)


def next_run() -> int:
    """Return the number of this run, one above every number that stands in a pool's code."""
    codes = Pool.objects.filter(code__startswith="D").values_list("code", flat=True)
    runs = [int(found.group(1)) for code in codes if (found := CODE.fullmatch(code))]
    return max(runs, default=0) + 1


def cancel_pools_in_play(cast: Cast) -> int:
    """Cancel the demonstration's pools that have no result; every stake goes back (¶32). Return how many."""
    codes = [
        pool.code for pool in Pool.objects.filter(code__startswith="D", state__in=IN_PLAY) if CODE.fullmatch(pool.code)
    ]
    for code in codes:
        propose_cancellation(
            code=code,
            reason="The demonstration was started anew.",
            document="none: a demonstration",
            proposed_by=cast.drafter,
        )
        approve_cancellation(code=code, approved_by=cast.announcer)
    return len(codes)

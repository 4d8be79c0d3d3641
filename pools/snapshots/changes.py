"""What a correction changed, a page at a time: from the rows, or from the archive of an old pool."""

from pools.models import Pool
from pools.queries import corrections
from pools.queries.corrections import Changed, correction_of
from pools.snapshots.pool_archives import archived_changes, is_archived


def count_changed(pool: Pool) -> int:
    """Count the changes of an official correction."""
    return len(_archived(pool)) if is_archived(pool) else corrections.count_changed(pool)


def changed_page(pool: Pool, start: int, most: int) -> list[Changed]:
    """Return some of the changes, from the place `start` on, in the order of changed.csv."""
    if is_archived(pool):
        return _archived(pool)[start : start + most]
    return corrections.changed_page(pool, start, most)


def _archived(pool: Pool) -> list[Changed]:
    correction = correction_of(pool)
    return archived_changes(pool, correction.version) if correction is not None else []

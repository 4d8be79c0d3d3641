"""What breaks the proofs about archived pools, and what is then told."""

from collections.abc import Mapping

BREAKING_ARCHIVES: Mapping[str, tuple[str, str]] = {
    "an archived pool's stakes and winnings are those of its archive": (
        "INSERT INTO pools_poolarchive (pool_id, file, digest, size, bets, turnover, winnings, won, corrected,"
        " distribution, figures, first_fact_at, last_fact_at, archived_at, archived_by)"
        " VALUES ({won}, 'x', 'x', 1, 0, 1, 0, 0, 0, '[]', '[]', now(), now(), now(), 'x')",
        "in the ledger, 1 and 0 archived",
    ),
}

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

TABLES = (
    "accounts_transfer",
    "accounts_entry",
    "accounts_ledgeraccount",
    "pools_bet",
    "pools_winning",
    "accounts_withdrawal",
    "accounts_receipt",
    "accounts_placement",
    "accounts_bankline",
    "payouts_payable",
    "payouts_payment",
)
"""The tables whose guards are taken away so that proofs can be broken."""

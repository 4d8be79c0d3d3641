"""Topptipset, 90 draws: eight matches, one level, a stake of one's choice, 70 % of turnover to the players.

The published coefficient is kronor per krona staked, cut to a whole one. Amounts are öre.
"""

from pathlib import Path

from tests.engine.bundles import assert_identity, dividends, level_of, make_conditions, make_level, make_terms
from tests.engine.published import Row, table

TERMS = make_terms(
    price={"min": 100, "max": 10_000_000},
    conditions=make_conditions(*["1X2"] * 8),
    fund="70/100",
    levels=[make_level("8", "1", "1")],
    divide_by="stakes",
    rounding={"mode": "down", "step": 1, "of": "coefficient"},
    empty_level="carry_same",
)


def coefficient(directory: Path, row: Row, carried: int) -> int:
    tally = {
        "turnover": row["turnover"],
        "lines": row["turnover"] // 100,
        "carried": {"8": carried},
        "levels": {"8": {"lines": row["winning_stakes"] // 100, "stakes": row["winning_stakes"]}},
    }
    statement = dividends(directory, TERMS, tally)
    assert_identity(statement, carried)
    level = level_of(statement, "8")
    assert level["paid"] == int(level["coefficient"]) * row["winning_stakes"]
    return int(level["coefficient"])


def test_all_ninety_draws_agree(tmp_path: Path) -> None:
    rows = table("topptipset.csv")
    assert len(rows) == 90
    for row in rows:
        assert coefficient(tmp_path, row, row["carried"]) == row["coefficient"], row["draw"]


def test_five_draws_agree_only_with_250_000_kronor_added(tmp_path: Path) -> None:
    added = [row for row in table("topptipset.csv") if row["carried"]]
    assert {row["draw"]: row["week"] for row in added} == {
        11391: 202518,
        11418: 202519,
        11472: 202521,
        11533: 202522,
        11543: 202522,
    }
    for row in added:
        assert row["carried"] == 25_000_000
        assert coefficient(tmp_path, row, 0) < row["coefficient"]

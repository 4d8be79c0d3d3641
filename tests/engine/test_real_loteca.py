"""Loteca (Caixa), 14 matches: 38 prices of system coupons and 315 contests with an accumulating top level.

Of the turnover 26.327 % (38.5 % from contest 1162) is the net fund: 70 % for 14 right, 15 % for 13 right, 15 % into a
reserve for contests whose number ends in 0 or 5. The fund of a level without winners joins level 14 of the next
contest. Amounts are centavos.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.engine.bundles import (
    Document,
    assert_identity,
    dividends,
    dump,
    engine,
    level_of,
    make_conditions,
    make_level,
    make_terms,
)
from tests.engine.published import Row, table

FIRST_RICHER_CONTEST = 1162
# Contests in which nobody had 13 right either; the table does not tell, but the next dividend does, to the centavo.
NO_THIRTEEN = {931, 957, 976, 1017, 1076, 1081, 1092, 1112, 1127, 1128, 1147, 1168, 1182, 1186, 1197}
# Contests that cannot agree, besides those whose sum includes a contest ending in 0 or 5: the reserve that those also
# pay out is not in the table.
CANNOT_AGREE = {
    911: "the first of the table: what rolled into it is not in the table",
    992: "1,339 winners: level 14 took the other parts too, so as not to pay less than level 13",
    1048: "1,327 winners: likewise",
}


def terms_of(contest: int) -> Document:
    return make_terms(
        price={"line": 200},
        max_lines=1000,
        conditions=make_conditions(*["1X2"] * 14),
        fund="385/1000" if contest >= FIRST_RICHER_CONTEST else "26327/100000",
        levels=[make_level("14", "1", "70/100"), make_level("13", "13/14", "15/100")],
        jackpot_share="15/100",
        empty_level="carry_top",
    )


@pytest.mark.parametrize("row", table("loteca_prices.csv"), ids=lambda row: f"{row['doubles']}+{row['triples']}")
def test_the_published_prices_of_system_coupons(tmp_path: Path, row: Row) -> None:
    (tmp_path / "terms.json").write_bytes(dump(terms_of(1225)))
    marks = ["1+X"] * row["doubles"] + ["1+X+2"] * row["triples"]
    run = engine("price", tmp_path, ";".join(marks + ["2"] * (14 - len(marks))))
    assert (run.code, run.out) == (0, f'{{"lines":{row["lines"]},"price":{row["price"]}}}\n')


class Replayed(NamedTuple):
    """A contest, what the engine made of it, and the contests whose money is in its top level."""

    row: Row
    statement: Document
    summed: list[int]

    @property
    def cannot_agree(self) -> bool:
        return self.row["contest"] in CANNOT_AGREE or any(contest % 5 == 0 for contest in self.summed)


@cache
def replay() -> list[Replayed]:
    """Replay the contests in order, each with what the one before handed on."""
    carried = 0
    summed: list[int] = []
    replayed = []
    for row in table("loteca.csv"):
        thirteen = int(row["contest"] not in NO_THIRTEEN)  # how many is not in the table and does not matter here
        tally = {
            "turnover": row["turnover"],
            "lines": row["turnover"] // 200,
            "carried": {"14": carried},
            "levels": {
                "14": {"lines": row["wins_14"], "stakes": 200 * row["wins_14"]},
                "13": {"lines": thirteen, "stakes": 200 * thirteen},
            },
        }
        with TemporaryDirectory() as folder:
            statement = dividends(Path(folder), terms_of(row["contest"]), tally)
        assert_identity(statement, carried)
        summed = [*summed, row["contest"]]
        replayed.append(Replayed(row, statement, summed))
        carried = statement["carried"].get("14", 0)
        if row["wins_14"]:
            summed = []
    return replayed


def test_a_top_level_without_winners_rolls_whole() -> None:
    rolls = 0
    for row, statement, _ in replay():
        top, second = level_of(statement, "14"), level_of(statement, "13")
        rolled = (0 if row["wins_14"] else top["fund"]) + (second["fund"] if row["contest"] in NO_THIRTEEN else 0)
        assert statement["carried"] == ({"14": rolled} if rolled else {})
        assert (top["dividend"] is None) == (not row["wins_14"])
        rolls += not row["wins_14"]
    assert rolls == 174


def test_the_top_level_pays_what_was_published() -> None:
    """79 contests, 38 of them after one roll or more, to a centavo or three for each contest in the sum.

    The publisher rounds to the nearest centavo, the rule here cuts; and here each contest's fund is rounded up and the
    top level takes what the others leave over (D-15).
    """
    agreeing = rolled = 0
    for contest in replay():
        wins = contest.row["wins_14"]
        if wins and not contest.cannot_agree:
            difference = level_of(contest.statement, "14")["dividend"] - contest.row["pays_14"]
            assert -1 <= difference <= max(3 * len(contest.summed) // wins, 1), contest
            agreeing += 1
            rolled += len(contest.summed) > 1
    assert (agreeing, rolled) == (79, 38)


def test_what_cannot_agree_is_always_too_little_here() -> None:
    """The reserve only adds, so that each of the 62 differences has the sign which the reason gives."""
    differing = [contest for contest in replay() if contest.row["wins_14"] and contest.cannot_agree]
    for contest in differing:
        assert level_of(contest.statement, "14")["dividend"] < contest.row["pays_14"], contest
    assert len(differing) == 62

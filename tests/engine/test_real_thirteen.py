"""Stryktipset and Europatipset, 107 draws: what Svenska Spel paid, from turnover and winners alone.

One krona a row, 65 % to the players, four levels; a level that would pay under 15 kronor pays nothing and its fund,
like an empty level's, goes to the top level of the next draw of the same game. Amounts are öre.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.engine.bundles import Document, assert_identity, dividends, level_of, make_conditions, make_level, make_terms
from tests.engine.published import Row, table

LEVELS = ("13", "12", "11", "10")
SHARES = {
    "Stryktipset": {"13": "40/100", "12": "15/100", "11": "12/100", "10": "25/100", "jackpot": "8/100"},
    "Europatipset": {"13": "39/100", "12": "22/100", "11": "12/100", "10": "25/100", "jackpot": "2/100"},
}
# Cells of level 13 that cannot agree, and why. Everything else must.
CANNOT_AGREE = {
    10362: "the first Stryktipset of the table: what was carried into it is not in the table",
    10414: "the rule here gives the top level the öre that the other levels' rounding leaves (D-15): 1 krona more",
}


def terms_of(game: str, guarantee: int) -> Document:
    shares = SHARES[game]
    return make_terms(
        conditions=make_conditions(*["1X2"] * 13),
        fund="65/100",
        levels=[make_level(level, f"{level}/13", shares[level]) for level in LEVELS],
        jackpot_share=shares["jackpot"],
        rounding={"mode": "down", "step": 100, "of": "winning"},
        empty_level="carry_top",
        min_dividend={"amount": 1500, "below": "carry_top"},
        guarantee={"13": guarantee} if guarantee else {},
    )


def tally_of(row: Row, carried: dict[str, int]) -> Document:
    return {
        "turnover": row["turnover"],
        "lines": row["turnover"] // 100,
        "carried": carried,
        "levels": {n: {"lines": row[f"wins_{n}"], "stakes": 100 * row[f"wins_{n}"]} for n in LEVELS},
    }


@cache
def replay(game: str, *, guarantees: bool = True, carries: bool = True) -> list[tuple[Row, Document]]:
    """Replay a game's draws in the order of their numbers, each with what the one before handed on."""
    carried: dict[str, int] = {}
    replayed = []
    for row in sorted(
        (row for row in table("swedish_thirteen.csv") if row["game"] == game), key=lambda r: int(r["draw"])
    ):
        tally = tally_of(row, carried if carries else {})
        terms = terms_of(game, row["guarantee_13"] if guarantees else 0)
        with TemporaryDirectory() as folder:
            statement = dividends(Path(folder), terms, tally)
        assert_identity(statement, sum(tally["carried"].values()))
        replayed.append((row, statement))
        carried = statement["carried"]
    return replayed


def paid(statement: Document, level: str) -> int:
    return level_of(statement, level)["dividend"] or 0


@pytest.mark.parametrize("game", SHARES)
def test_every_cell_of_levels_12_to_10_agrees(game: str) -> None:
    cells = {True: 0, False: 0}
    for row, statement in replay(game):
        for level in LEVELS[1:]:
            assert paid(statement, level) == row[f"pays_{level}"], (row["draw"], level)
            cells[row[f"pays_{level}"] > 0] += 1
    assert cells == {"Stryktipset": {True: 105, False: 9}, "Europatipset": {True: 178, False: 29}}[game]


@pytest.mark.parametrize("game", SHARES)
def test_every_top_level_agrees_but_the_two_listed(game: str) -> None:
    differing = {}
    for row, statement in replay(game):
        if paid(statement, "13") != row["pays_13"]:
            differing[row["draw"]] = (row["pays_13"], paid(statement, "13"))
    expected = {"Stryktipset": {10362: (1431100, 726900)}, "Europatipset": {10414: (420293800, 420293900)}}
    assert differing == expected[game]
    assert differing.keys() <= CANNOT_AGREE.keys()


def test_the_first_stryktipset_agrees_with_a_carried_sum_that_explains_it(tmp_path: Path) -> None:
    """The missing sum is bounded by the published dividend; any sum within the bounds gives it, none outside does."""
    row = next(row for row in table("swedish_thirteen.csv") if row["draw"] == 10362)
    terms = terms_of("Stryktipset", 0)

    def top_with(carried: int) -> Document:
        return level_of(dividends(tmp_path, terms, tally_of(row, {"13": carried})), "13")

    missing = row["pays_13"] * row["wins_13"] - top_with(0)["fund"]
    one_krona_each = 100 * row["wins_13"]
    assert missing == 776_026_992  # öre
    assert top_with(missing)["dividend"] == top_with(missing + one_krona_each - 1)["dividend"] == row["pays_13"]
    assert top_with(missing - 1)["dividend"] == row["pays_13"] - 100
    assert top_with(missing + one_krona_each)["dividend"] == row["pays_13"] + 100


def test_fifteen_draws_need_their_guaranteed_pot() -> None:
    needing = {}
    for game in SHARES:
        bare = replay(game, guarantees=False)
        for (row, with_pot), (_, without) in zip(replay(game), bare, strict=True):
            if row["guarantee_13"]:
                assert paid(without, "13") < row["pays_13"] == paid(with_pot, "13")
                assert with_pot["added"] == row["guarantee_13"] - level_of(without, "13")["fund"]
                needing[row["draw"]] = row["guarantee_13"] // 100_000_000
            else:
                assert with_pot["added"] == 0
    assert len(needing) == 15
    assert sorted(set(needing.values())) == [3, 4, 10, 12, 13, 14, 20, 34]


def test_twenty_five_top_levels_agree_only_with_the_fund_carried_in() -> None:
    agreeing = needing = 0
    for game in SHARES:
        alone = replay(game, carries=False)
        for (row, chained), (_, without) in zip(replay(game), alone, strict=True):
            if row["guarantee_13"] or row["draw"] in CANNOT_AGREE or not row["wins_13"]:
                continue
            agreeing += paid(chained, "13") == row["pays_13"]
            needing += paid(without, "13") != row["pays_13"]
    assert (agreeing, needing) == (86, 25)

"""Worked examples of the steps that move money between levels, in kopecks, each counted by hand."""

from fractions import Fraction
from typing import Any

import pytest

from tests.engine.bundles import Document, make_conditions, make_level, make_terms
from totalizator.engine.dividends import divide
from totalizator.engine.statement import LevelStatement, Statement
from totalizator.engine.tally import parse_tally
from totalizator.engine.terms import parse_terms

LEVELS = [make_level("3", "1", "1/2"), make_level("2", "2/3", "3/10"), make_level("1", "1/3", "1/5")]


def make_statement(
    winners: tuple[int, int, int], *, fund: int = 1000, more: Document | None = None, **terms: Any
) -> Statement:
    """Divide a fund of 10.00 over levels 3, 2 and 1 (50, 30 and 20 %) with so many winning lines."""
    announced = parse_terms(make_terms(conditions=make_conditions("1X2", "1X2", "1X2"), **{"levels": LEVELS, **terms}))
    levels = {
        code: {"lines": lines, "stakes": 100 * lines, "bets": {"100": lines} if lines else {}}
        for code, lines in zip("321", winners, strict=True)
    }
    return divide(announced, parse_tally(announced, {"turnover": fund, "lines": 99, "levels": levels, **(more or {})}))


def moves(level: LevelStatement) -> list[tuple[str, int, str]]:
    return [(move.to, move.amount, move.why) for move in level.moved]


def paid(statement: Statement) -> list[int | None]:
    return [level.paid for level in statement.levels]


@pytest.mark.parametrize(
    ("way", "moved"),
    [
        ("jackpot", [("jackpot", 300, "empty")]),
        ("next_lower", [("1", 300, "empty")]),
        ("next_higher", [("3", 300, "empty")]),
        ("carry_same", [("carried:2", 300, "empty")]),
        ("carry_top", [("carried:3", 300, "empty")]),
        ("other_levels", [("3", 215, "empty"), ("1", 85, "empty")]),
    ],
)
def test_an_empty_level_hands_on_its_fund(way: str, moved: list[tuple[str, int, str]]) -> None:
    """300 by 5/7 and 2/7 are 214.28 and 85.71: the highest takes the kopeck left over (D-14)."""
    statement = make_statement((1, 0, 1), empty_level=way)
    assert moves(statement.levels[1]) == moved
    assert statement.levels[1].dividend is None


@pytest.mark.parametrize(
    ("way", "winners"), [("next_lower", (1, 1, 0)), ("next_higher", (0, 1, 1)), ("other_levels", (0, 0, 0))]
)
def test_where_no_level_can_take_it_the_jackpot_does(way: str, winners: tuple[int, int, int]) -> None:
    statement = make_statement(winners, empty_level=way)
    empty = next(level for level in statement.levels if not level.lines)
    assert moves(empty) == [("jackpot", empty.fund, "empty")]


def test_other_levels_with_no_shares_leave_it_all_to_the_highest() -> None:
    levels = [make_level("3", "1", "1"), make_level("2", "2/3", "0"), make_level("1", "1/3", "0")]
    statement = make_statement((0, 3, 4), levels=levels, empty_level="other_levels")
    assert moves(statement.levels[0]) == [("2", 1000, "empty")]
    assert paid(statement) == [0, 999, 0]
    assert statement.jackpot_out == 1


def test_a_level_dies_below_its_minimum_and_the_check_starts_again() -> None:
    """Level 1 pays 200/10 = 20 < 50 and dies upwards; with 300 + 200 level 2 pays 500/10 = 50 and lives."""
    minimum = {"amount": 50, "below": "next_higher"}
    statement = make_statement((1, 10, 10), min_dividend=minimum)
    assert [level.dividend for level in statement.levels] == [500, 50, 0]
    assert moves(statement.levels[2]) == [("2", 200, "minimum")]
    assert [level.live for level in statement.levels] == [True, True, False]


def test_a_death_downwards_can_save_a_lower_level_only_if_it_is_not_dead_yet() -> None:
    """Level 1 (20 < 50) dies first and finds nobody below; level 2 (30 < 50) then finds nobody either."""
    statement = make_statement((1, 10, 10), min_dividend={"amount": 50, "below": "next_lower"})
    assert moves(statement.levels[1]) == [("jackpot", 300, "minimum")]
    assert moves(statement.levels[2]) == [("jackpot", 200, "minimum")]
    assert statement.jackpot_out == 500


def test_a_minimum_is_topped_up_with_the_organizers_money() -> None:
    statement = make_statement((1, 10, 10), min_dividend={"amount": 50, "below": "top_up"})
    assert [level.dividend for level in statement.levels] == [500, 50, 50]
    assert [level.fund for level in statement.levels] == [500, 500, 500]
    assert statement.added == 500


def test_a_level_has_a_minimum_of_its_own() -> None:
    levels = [LEVELS[0], {**LEVELS[1], "min_dividend": None}, LEVELS[2]]
    statement = make_statement((1, 10, 10), levels=levels, min_dividend={"amount": 50, "below": "carry_top"})
    assert [level.dividend for level in statement.levels] == [500, 30, 0]
    assert statement.carried == {"3": 200}


def test_a_maximum_cascades_downwards() -> None:
    """500 - 100; level 2 then holds 700 for two lines and gives 500; level 1 has nobody below and gives 600 away."""
    statement = make_statement((1, 2, 1), max_dividend={"amount": 100, "above": "next_lower"})
    assert [moves(level) for level in statement.levels] == [
        [("2", 400, "maximum")],
        [("1", 500, "maximum")],
        [("jackpot", 600, "maximum")],
    ]
    assert [level.fund for level in statement.levels] == [500, 700, 700]
    assert paid(statement) == [100, 200, 100]


def test_upside_down_levels_are_joined() -> None:
    """Level 3 pays 500/10 = 50 and level 2 300/1: joined 800 for 11 lines, the lower keeps 72; then level 1 is over it
    (200 against 72) and gives up 64, and so on up to where 1000 kopecks for 12 lines are as even as they can be."""
    statement = make_statement((10, 1, 1), monotone=True)
    assert [level.dividend for level in statement.levels] == [83, 83, 83]
    assert paid(statement) == [830, 83, 83]
    assert statement.jackpot_out == 4
    assert all(move.why == "monotone" for level in statement.levels for move in level.moved)
    assert all(
        level.fund == (level.paid or 0) + (level.remainder or 0) + sum(m.amount for m in level.moved)
        for level in statement.levels
    )


def test_levels_in_order_stay_as_they_are() -> None:
    statement = make_statement((5, 3, 2), monotone=True)
    assert [moves(level) for level in statement.levels] == [[], [], []]


def test_the_jackpot_is_drawn_into_its_level_and_a_guarantee_counts_it() -> None:
    """7 of 10 are drawn by floor(10 × 3/4); level 3 holds 500 + 30 + 7 and is raised to 600."""
    more = {"jackpot_in": 10, "carried": {"3": 30}}
    statement = make_statement((1, 1, 1), more=more, jackpot={"level": "3", "share": "3/4"}, guarantee={"3": 600})
    assert statement.levels[0].fund == 600
    assert statement.added == 63
    assert statement.jackpot_out == 3


def test_a_guarantee_waits_for_a_winner() -> None:
    statement = make_statement((0, 1, 1), guarantee={"3": 600})
    assert (statement.added, statement.levels[0].fund, statement.jackpot_out) == (0, 500, 500)


def test_a_drawn_jackpot_without_a_winner_goes_on() -> None:
    statement = make_statement(
        (0, 1, 1), more={"jackpot_in": 10}, jackpot={"level": "3", "share": "1"}, empty_level="carry_same"
    )
    assert statement.carried == {"3": 510}
    assert statement.jackpot_out == 0


def test_nearest_may_overdraw_and_says_so() -> None:
    """500/3 = 166.67 → 167 × 3 = 501: a kopeck is added; 300/8 = 37.5 → 38 × 8 = 304; 200/3 = 66.67 → 67 × 3 = 201."""
    rounding = {"mode": "nearest", "step": 1, "of": "winning"}
    statement = make_statement((3, 8, 3), rounding=rounding)
    assert [level.dividend for level in statement.levels] == [167, 38, 67]
    assert statement.added == 1 + 4 + 1
    assert [level.fund for level in statement.levels] == [501, 304, 201]


def test_without_bets_what_depends_on_them_is_not_known() -> None:
    announced = parse_terms(make_terms(divide_by="stakes", price={"min": 1, "max": 1000}))
    tally = {"turnover": 1000, "lines": 9, "levels": {"top": {"lines": 2, "stakes": 300}}}
    statement = divide(announced, parse_tally(announced, tally))
    (level,) = statement.levels
    assert (level.fund, level.coefficient) == (1000, Fraction(10, 3))
    assert (level.paid, level.remainder) == (None, None)
    assert (statement.winnings, statement.jackpot_out, statement.added, statement.takeout) == (None, None, 0, 0)


def test_thirty_upside_down_levels_are_joined_at_once() -> None:
    """A pool that is upside down from end to end is put in order in well under a second."""
    levels = [make_level(str(place), f"{place}/30", "1/30") for place in range(1, 31)]
    announced = parse_terms(make_terms(conditions=make_conditions(*["12"] * 30), levels=levels, monotone=True))
    winners = {str(place): {"lines": 7 * place**2 + 1, "stakes": 0} for place in range(1, 31)}
    statement = divide(announced, parse_tally(announced, {"turnover": 10**12, "lines": 1, "levels": winners}))
    assert {level.dividend for level in statement.levels} == {15_102_318}

"""Lines that can still reach a level: the polynomial against going through every line and every end (O2)."""

from collections import Counter
from itertools import product
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.brute_force import base_of, level_for, lines_of, matches_of, winning_lines
from tests.engine.bundles import Bet, Document, make_bet, make_conditions, make_level, make_result, make_terms
from tests.engine.draws import bets_of, result_of, terms_of
from totalizator.engine.alive import Outlook, part_of_result
from totalizator.engine.coupon import read_selections
from totalizator.engine.matching import Matcher
from totalizator.engine.refund import everything_returned
from totalizator.engine.result import parse_result
from totalizator.engine.terms import parse_terms


@st.composite
def halfway(draw: st.DrawFn) -> tuple[Document, list[Bet], Document, set[str]]:
    """A draw of up to four bets, its result, and which conditions are known by now."""
    terms = terms_of(draw)
    codes = [condition["code"] for condition in terms["conditions"]]
    known = draw(st.sets(st.sampled_from(codes)))
    return terms, bets_of(draw, terms, 4), result_of(draw, terms), known


def alive(terms: Document, told: dict[str, Any], selections: str) -> dict[str, int]:
    """Level → lines of the coupon that can still reach it."""
    announced = parse_terms(terms)
    outlook = Outlook(announced, part_of_result(announced, told))
    return dict(outlook.levels_of(read_selections(announced, selections)))


def ends(terms: Document, told: dict[str, Any]) -> list[Document]:
    """Every result in which what is told is so, and each other condition has one right outcome."""
    conditions = terms["conditions"]
    ways = [
        [told[each["code"]]] if each["code"] in told else [[outcome["code"]] for outcome in each["outcomes"]]
        for each in conditions
    ]
    codes = [each["code"] for each in conditions]
    return [{"conditions": dict(zip(codes, way, strict=True))} for way in product(*ways)]


def reached(terms: Document, told: dict[str, Any], bet: Bet) -> Counter[str]:
    """Count by going through each line of the bet and each end."""
    count: Counter[str] = Counter()
    for line in lines_of(bet):
        levels = {level_for(terms, matches_of(line, terms, end), base_of(terms, end)) for end in ends(terms, told)}
        count.update(level for level in levels if level is not None)
    return count


@given(halfway())
@settings(max_examples=250, deadline=None)
def test_o2_the_polynomial_is_the_enumeration_of_every_end(
    draw: tuple[Document, list[Bet], Document, set[str]],
) -> None:
    terms, bets, result, known = draw
    told = {code: result["conditions"][code] for code in known}
    announced = parse_terms(terms)
    assume(not everything_returned(announced, part_of_result(announced, told)))
    for bet in bets:
        selections = ";".join("+".join(marks) for marks in bet.marks)
        assert alive(terms, told, selections) == reached(terms, told, bet)


@given(halfway())
@settings(max_examples=150, deadline=None)
def test_o2_when_all_is_known_the_lines_alive_are_those_that_win(
    draw: tuple[Document, list[Bet], Document, set[str]],
) -> None:
    terms, bets, result, _known = draw
    announced = parse_terms(terms)
    whole = parse_result(announced, {**result, "event_void": False})
    assume(not everything_returned(announced, whole))
    outlook = Outlook(announced, part_of_result(announced, result["conditions"], result["first_started_at"]))
    assert outlook.open == 0
    for bet in bets:
        coupon = read_selections(announced, ";".join("+".join(marks) for marks in bet.marks))
        wins = Matcher(announced, whole).levels_of(coupon)
        assert outlook.levels_of(coupon) == outlook.so_far.levels_of(coupon) == wins
        assert dict(wins) == dict(winning_lines(terms, result, bet))


@given(halfway())
@settings(max_examples=100, deadline=None)
def test_o2_when_nothing_is_known_every_line_can_reach_every_level(
    draw: tuple[Document, list[Bet], Document, set[str]],
) -> None:
    terms, bets, _result, _known = draw
    outlook = Outlook(parse_terms(terms), part_of_result(parse_terms(terms), {}))
    levels = {level for level, matches in outlook.matches_on.items() if matches}
    for bet in bets:
        selections = ";".join("+".join(marks) for marks in bet.marks)
        assert alive(terms, {}, selections) == dict.fromkeys(levels, bet.lines)


def test_o2_a_coupon_as_three_of_four_matches_end() -> None:
    levels = [make_level("all", "1", "3/5"), make_level("three", "3/4", "2/5")]
    terms = make_terms(conditions=make_conditions("1X2", "1X2", "1X2", "1X2"), levels=levels)
    coupon = "1+X;1;1+2;X"  # four lines
    assert alive(terms, {}, coupon) == {"all": 4, "three": 4}
    assert alive(terms, {"1": ["1"]}, coupon) == {"all": 2, "three": 4}
    assert alive(terms, {"1": ["1"], "2": ["X"]}, coupon) == {"three": 2}
    assert alive(terms, {"1": ["1"], "2": ["X"], "3": ["2"]}, coupon) == {"three": 1}
    assert alive(terms, {"1": ["1"], "2": ["X"], "3": ["X"]}, coupon) == {}
    assert alive(terms, {"1": ["2"], "2": ["1", "X"]}, coupon) == {"three": 4}  # a dead heat is right both ways


def test_o2_a_condition_that_did_not_take_place_counts_by_the_terms() -> None:
    levels = [make_level("all", "1", "1")]
    for policy in ("all_match", "exclude"):
        terms = make_terms(levels=levels, void_condition=policy)
        assert alive(terms, {"1": "void", "2": ["1"]}, "1+X;1;2") == {"all": 2}, policy
    terms = make_terms(levels=levels, void_condition="exclude")
    outlook = Outlook(parse_terms(terms), part_of_result(parse_terms(terms), {"1": "void"}))
    assert (outlook.open, outlook.matches_on, outlook.reached_from) == (2, {"all": (2,)}, (frozenset({"all"}),))


def test_o2_the_worked_bets_are_as_settled() -> None:
    terms, result = parse_terms(make_terms()), make_result("1", "X", "2")
    bet = make_bet(1, "1+X;X;2", 200)
    outlook = Outlook(terms, part_of_result(terms, result["conditions"]))
    assert outlook.levels_of(read_selections(terms, "1+X;X;2")) == (("top", 1),)
    assert dict(winning_lines(make_terms(), result, bet)) == {"top": 1}

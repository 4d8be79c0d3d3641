"""The law's limits on announced terms. `custom` pools (foreign games, experiments) are free of them."""

from collections.abc import Iterator
from fractions import Fraction

from totalizator.engine.announced import Terms
from totalizator.engine.errors import EngineError

SPORTLOTO_LEAST_FUND = Fraction(7, 10)
TOTOLOT_FUND = Fraction(3, 5)
TOTOLOT_POSITION_EMPTY = ("jackpot", "other_levels", "next_lower", "next_higher")

# Whether the law is broken, the field, what it asks for, the paragraph.
Limit = tuple[bool, str, str, str]


def check_law(terms: Terms, where: str) -> None:
    """Refuse terms that the law forbids.

    :raises EngineError: LAW, with the field and the paragraph.
    """
    if terms.game == "custom":
        return
    game_limits = _sportloto(terms) if terms.game.startswith("sportloto") else _totolot(terms)
    for limits in (_both_games(terms), game_limits):
        for broken, field, expected, paragraph in limits:
            if broken:
                raise EngineError("LAW", f"{where}, {field}", f"{expected} ({paragraph})")


def _both_games(terms: Terms) -> Iterator[Limit]:
    sportloto = terms.game.startswith("sportloto")
    levels = "¶11.3" if sportloto else "¶36.2"
    jackpot = "¶17" if sportloto else "¶38"
    shares = sum(level.share for level in terms.levels)
    yield terms.jackpot_share != 0, "jackpot_share", "0", jackpot
    yield shares != 1, "levels", "shares that add up to 1", f"{levels}, D-7"
    yield terms.rounding.mode != "down", "rounding.mode", "down", f"{levels}, D-6"
    yield terms.rounding.step != 1, "rounding.step", "1", f"{levels}, D-6"
    yield terms.monotone, "monotone", "false", levels
    if terms.is_variant:
        variant = "¶11.2" if sportloto else "¶36.1"
        whole = [(level.least, level.most) for level in terms.levels] == [(Fraction(1), Fraction(1))]
        yield len(terms.conditions) != 1, "conditions", "one condition in a Variant pool", variant
        yield not whole, "levels", "one level from 1 to 1 in a Variant pool", variant


def _sportloto(terms: Terms) -> Iterator[Limit]:
    yield terms.price.line is None, "price", "a fixed price of a line", "¶5"
    yield terms.fund < SPORTLOTO_LEAST_FUND, "fund", "at least 7/10", "¶4"
    yield not terms.by_lines, "divide_by", "lines", "¶11.2" if terms.is_variant else "¶11.3"
    for level in terms.levels:
        yield level.empty != "jackpot", _field("empty", "empty_level", level.code), "jackpot", "¶11.4"
        below = level.min_dividend and level.min_dividend.beyond
        yield below not in (None, "top_up"), "min_dividend.below", "top_up", "¶6, D-1"
    above = terms.max_dividend and terms.max_dividend.beyond
    yield above not in (None, "jackpot"), "max_dividend.above", "jackpot", "¶6, D-1"


def _totolot(terms: Terms) -> Iterator[Limit]:
    yield terms.price.line is not None, "price", "a least and a greatest stake", "¶24"
    yield terms.fund != TOTOLOT_FUND, "fund", "exactly 3/5", "¶23"
    yield terms.by_lines, "divide_by", "stakes", "¶36.1" if terms.is_variant else "¶36.2"
    for level in terms.levels:
        yield level.min_dividend is not None, "min_dividend", "null", "¶36"
        field = _field("empty", "empty_level", level.code)
        if terms.is_variant:
            yield level.empty != "jackpot", field, "jackpot", "¶36.1"
        else:
            allowed = ", ".join(TOTOLOT_POSITION_EMPTY)
            yield level.empty not in TOTOLOT_POSITION_EMPTY, field, f"one of {allowed}", "¶36.2"
    yield terms.max_dividend is not None, "max_dividend", "null", "¶36"


def _field(own: str, pools: str, level_code: str) -> str:
    return f"{pools} or {own} of level {level_code}"

"""Reading terms.json: every field with its type and default, then what the fields must agree on, then the law."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from totalizator.engine import fields as read
from totalizator.engine.announced import (
    GAMES,
    Condition,
    DividendLimit,
    JackpotDraw,
    Level,
    Outcome,
    Pool,
    Price,
    Quorum,
    Rounding,
    Terms,
)
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields, Reader
from totalizator.engine.instants import read_instant
from totalizator.engine.law import check_law

__all__ = [
    "Condition",
    "DividendLimit",
    "JackpotDraw",
    "Level",
    "Outcome",
    "Pool",
    "Price",
    "Quorum",
    "Rounding",
    "Terms",
    "parse_terms",
]

DEFAULT_MAX_LINES = 10_000
EMPTY_LEVEL = ("jackpot", "other_levels", "next_lower", "next_higher", "carry_same", "carry_top")
BELOW_MINIMUM = ("jackpot", "next_lower", "next_higher", "carry_top", "top_up")
ABOVE_MAXIMUM = ("jackpot", "next_lower")


def parse_terms(data: bytes | Mapping[str, object], *, where: str = "terms.json") -> Terms:
    """Read terms and hold them to themselves and to the law.

    :raises EngineError: naming the field, and for LAW the paragraph (¶4-6, 11, 23-24, 36).
    """
    document = parse_json(data, where=where) if isinstance(data, bytes) else data
    terms = _read_terms(Fields(document, where, inner=False))
    check_law(terms, where)
    _check_agreement(terms, where)
    return terms


def _read_terms(fields: Fields) -> Terms:
    fields.need("format", read.first_format)
    divide_by = fields.need("divide_by", read.one_of("lines", "stakes"))
    empty = fields.need("empty_level", read.one_of(*EMPTY_LEVEL))
    minimum = fields.take("min_dividend", _limit("below", BELOW_MINIMUM, divide_by), None)
    levels = fields.need("levels", _levels(empty, minimum, divide_by))
    known = {level.code: level for level in levels}
    terms = Terms(
        game=fields.need("game", read.one_of(*GAMES)),
        pool=fields.need("pool", _pool),
        opens_at=fields.need("opens_at", read_instant),
        closes_at=fields.need("closes_at", read_instant),
        rules_version=fields.need("rules_version", read.digest_text),
        price=fields.need("price", _price),
        max_lines=fields.take("max_lines", read.whole(1), DEFAULT_MAX_LINES),
        conditions=fields.need("conditions", _conditions),
        fund=fields.need("fund", read.share),
        levels=levels,
        jackpot_share=fields.take("jackpot_share", read.share, Fraction(0)),
        divide_by=divide_by,
        rounding=fields.take("rounding", _rounding, Rounding()),
        max_dividend=fields.take("max_dividend", _limit("above", ABOVE_MAXIMUM, divide_by), None),
        guarantee=fields.take("guarantee", read.table(known, read.whole(0)), {}),
        monotone=fields.take("monotone", read.flag, False),
        void_condition=fields.take("void_condition", read.one_of("refund", "all_match", "exclude"), "refund"),
        min_valid_conditions=fields.take("min_valid_conditions", read.whole(0), 1),
        min_turnover=fields.take("min_turnover", read.whole(0), 0),
        jackpot=fields.take("jackpot", _jackpot(known), None),
        quorum=fields.take("quorum", _quorum, None),
    )
    fields.finish()
    return terms


def _pool(value: object, where: str) -> Pool:
    fields = Fields(value, where)
    pool = Pool(code=fields.need("code", read.label), name=fields.need("name", read.names))
    fields.finish()
    return pool


def _price(value: object, where: str) -> Price:
    fields = Fields(value, where)
    if fields.has("line"):
        price = Price(line=fields.need("line", read.whole(1)))
    else:
        least = fields.need("min", read.whole(1))
        price = Price(least=least, most=fields.need("max", read.whole(least)))
    fields.finish()
    return price


def _conditions(value: object, where: str) -> tuple[Condition, ...]:
    conditions = read.items(_condition)(value, where)
    if not conditions:
        raise EngineError("BAD_VALUE", where, "at least one condition")
    read.all_different(tuple(condition.code for condition in conditions), where)
    return conditions


def _condition(value: object, where: str) -> Condition:
    fields = Fields(value, where)
    condition = Condition(
        code=fields.need("code", read.code),
        name=fields.need("name", read.names),
        outcomes=fields.need("outcomes", read.items(_outcome)),
    )
    fields.finish()
    if not condition.outcomes:
        raise EngineError("BAD_VALUE", fields.at("outcomes"), "at least one outcome")
    read.all_different(tuple(outcome.code for outcome in condition.outcomes), fields.at("outcomes"))
    return condition


def _outcome(value: object, where: str) -> Outcome:
    fields = Fields(value, where)
    outcome = Outcome(code=fields.need("code", read.code), name=fields.take("name", read.names, {}))
    fields.finish()
    return outcome


def _levels(empty: str, minimum: DividendLimit | None, divide_by: str) -> Reader[tuple[Level, ...]]:
    """Read levels in any order and give them from the highest down, each with the pool's rules or its own."""

    def read_level(value: object, where: str) -> Level:
        fields = Fields(value, where)
        level = Level(
            code=fields.need("code", _level_code),
            least=fields.need("from", read.share),
            most=fields.need("to", read.share),
            share=fields.need("share", read.share),
            empty=fields.take("empty", read.one_of(*EMPTY_LEVEL), empty),
            min_dividend=fields.take("min_dividend", _limit("below", BELOW_MINIMUM, divide_by), minimum),
        )
        fields.finish()
        if level.least > level.most:
            raise EngineError("BAD_VALUE", fields.at("from"), "not more than `to`")
        return level

    def read_levels(value: object, where: str) -> tuple[Level, ...]:
        levels = sorted(read.items(read_level)(value, where), key=lambda level: level.most, reverse=True)
        if not levels:
            raise EngineError("BAD_VALUE", where, "at least one level")
        read.all_different(tuple(level.code for level in levels), where)
        for higher, lower in pairwise(levels):
            if lower.most >= higher.least:
                raise EngineError(
                    "BAD_VALUE", where, f"ranges apart, unlike {shown(lower.code)} and {shown(higher.code)} (D-7)"
                )
        return tuple(levels)

    return read_levels


def _level_code(value: object, where: str) -> str:
    level_code = read.code(value, where)
    if level_code == "jackpot" or level_code.startswith("carried:"):
        raise EngineError("BAD_VALUE", where, f"a code that names no other place for money, not {shown(value)}")
    return level_code


def _limit(word: str, ways: tuple[str, ...], divide_by: str) -> Reader[DividendLimit | None]:
    """Read a least or greatest dividend: whole kopecks with lines, a coefficient with stakes."""
    amount = read.whole_fraction if divide_by == "lines" else read.amount_or_fraction

    def read_limit(value: object, where: str) -> DividendLimit:
        fields = Fields(value, where)
        limit = DividendLimit(amount=fields.need("amount", amount), beyond=fields.need(word, read.one_of(*ways)))
        fields.finish()
        return limit

    return read.optional(read_limit)


def _rounding(value: object, where: str) -> Rounding:
    fields = Fields(value, where)
    rounding = Rounding(
        mode=fields.take("mode", read.one_of("down", "nearest"), "down"),
        step=fields.take("step", read.amount_or_fraction, Fraction(1)),
        of=fields.take("of", read.one_of("winning", "coefficient"), "winning"),
    )
    fields.finish()
    if rounding.step <= 0:
        raise EngineError("BAD_VALUE", fields.at("step"), "more than 0")
    return rounding


def _jackpot(levels: Mapping[str, Level]) -> Reader[JackpotDraw | None]:
    def read_draw(value: object, where: str) -> JackpotDraw:
        fields = Fields(value, where)
        draw = JackpotDraw(level=fields.need("level", read.one_of(*levels)), share=fields.need("share", read.share))
        fields.finish()
        return draw

    return read.optional(read_draw)


def _quorum(value: object, where: str) -> Quorum | None:
    if value is None:
        return None
    fields = Fields(value, where)
    quorum = Quorum(members=fields.need("members", read.items(read.label)), need=fields.need("need", read.whole(1)))
    fields.finish()
    read.all_different(quorum.members, fields.at("members"))
    if quorum.need > len(quorum.members):
        raise EngineError("BAD_VALUE", fields.at("need"), "not more than there are members")
    return quorum


def _check_agreement(terms: Terms, where: str) -> None:
    """Hold together what no single field can show."""
    for wrong, field, expected in (
        (terms.opens_at >= terms.closes_at, "closes_at", "later than opens_at"),
        (
            sum(level.share for level in terms.levels) + terms.jackpot_share != 1,
            "levels",
            "shares that with jackpot_share add up to 1 (D-7)",
        ),
        (
            terms.by_lines and terms.rounding.of == "coefficient",
            "rounding.of",
            "winning, as lines have no coefficient",
        ),
        (
            terms.by_lines and terms.rounding.step.denominator != 1,
            "rounding.step",
            "whole kopecks with lines",
        ),
        (
            terms.monotone and (terms.max_dividend or any(level.min_dividend for level in terms.levels)),
            "monotone",
            "false together with min_dividend or max_dividend",
        ),
    ):
        if wrong:
            raise EngineError("BAD_VALUE", f"{where}, {field}", expected)

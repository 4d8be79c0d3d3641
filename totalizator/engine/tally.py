"""The tally: what was staked, and how many lines and stakes stand on each level. It is all that money depends on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from totalizator.engine import fields as read
from totalizator.engine.announced import Terms
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields, Reader


@dataclass(frozen=True, slots=True)
class LevelTally:
    """Winning lines and winning stakes of one level."""

    lines: int = 0
    stakes: int = 0
    """A system bet counts only its winning lines' part."""
    bets: Mapping[int, int] | None = None
    """Winning stake on this level → how many bets have it; None when not known."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums of one pool, in kopecks."""

    turnover: int
    lines: int
    levels: Mapping[str, LevelTally]
    refunds: int = 0
    returned: bool = False
    """Whether everything goes back (¶32): the event, too many conditions, or the Variant's one did not take place."""
    jackpot_in: int = 0
    carried: Mapping[str, int] = field(default_factory=dict)


def parse_tally(terms: Terms, data: bytes | Mapping[str, object], *, where: str = "tally.json") -> Tally:
    """Read a tally for these terms; every level must be there.

    :raises EngineError: naming the field.
    """
    document = parse_json(data, where=where) if isinstance(data, bytes) else data
    fields = Fields(document, where, inner=False)
    known = {level.code: level for level in terms.levels}
    tally = Tally(
        turnover=fields.need("turnover", read.whole(0)),
        refunds=fields.take("refunds", read.whole(0), 0),
        returned=fields.take("returned", read.flag, False),
        lines=fields.need("lines", read.whole(0)),
        jackpot_in=fields.take("jackpot_in", read.whole(0), 0),
        carried=fields.take("carried", read.table(known, read.whole(0)), {}),
        levels=fields.need("levels", _levels(terms)),
    )
    fields.finish()
    if tally.refunds > tally.turnover:
        raise EngineError("BAD_VALUE", fields.at("refunds"), "not more than the turnover")
    return tally


def tally_document(tally: Tally) -> dict[str, object]:
    """Write a tally as the document of tally.json."""
    return {
        "turnover": tally.turnover,
        "refunds": tally.refunds,
        "returned": tally.returned,
        "lines": tally.lines,
        "jackpot_in": tally.jackpot_in,
        "carried": {code: amount for code, amount in tally.carried.items() if amount},
        "levels": {code: _level_document(level) for code, level in tally.levels.items()},
    }


def _level_document(level: LevelTally) -> dict[str, object]:
    document: dict[str, object] = {"lines": level.lines, "stakes": level.stakes}
    if level.bets is not None:
        document["bets"] = {str(stake): count for stake, count in level.bets.items()}
    return document


def _levels(terms: Terms) -> Reader[dict[str, LevelTally]]:
    def read_levels(value: object, where: str) -> dict[str, LevelTally]:
        fields = Fields(value, where)
        levels = {level.code: fields.need(level.code, _level) for level in terms.levels}
        fields.finish()
        return levels

    return read_levels


def _level(value: object, where: str) -> LevelTally:
    fields = Fields(value, where)
    level = LevelTally(
        lines=fields.need("lines", read.whole(0)),
        stakes=fields.need("stakes", read.whole(0)),
        bets=fields.take("bets", read.optional(_bets), None),
    )
    fields.finish()
    if level.bets is not None and sum(stake * count for stake, count in level.bets.items()) != level.stakes:
        raise EngineError("BAD_VALUE", fields.at("bets"), "bets whose winning stakes add up to `stakes`")
    return level


def _bets(value: object, where: str) -> dict[int, int]:
    if not isinstance(value, Mapping):
        raise EngineError("BAD_VALUE", where, f"an object of stake: bets, not {shown(value)}")
    return {read.whole_text(stake, where): read.whole(1)(count, f"{where}.{stake}") for stake, count in value.items()}

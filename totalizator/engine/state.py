"""state.json: what came into the pool from before, and the bets cancelled before settlement (¶29)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from totalizator.engine import fields as read
from totalizator.engine.announced import Terms
from totalizator.engine.canonical import parse_json
from totalizator.engine.fields import Fields


@dataclass(frozen=True, slots=True)
class State:
    """The jackpot reserved for this pool, funds carried to its levels, cancelled tickets."""

    jackpot_in: int = 0
    carried: Mapping[str, int] = field(default_factory=dict)
    cancelled: frozenset[str] = frozenset()


def parse_state(terms: Terms, data: bytes | Mapping[str, object], *, where: str = "state.json") -> State:
    """Read a state for these terms; everything in it may be left out.

    :raises EngineError: naming the field.
    """
    document = parse_json(data, where=where) if isinstance(data, bytes) else data
    fields = Fields(document, where, inner=False)
    known = {level.code: level for level in terms.levels}
    state = State(
        jackpot_in=fields.take("jackpot_in", read.whole(0), 0),
        carried=fields.take("carried", read.table(known, read.whole(0)), {}),
        cancelled=fields.take("cancelled", _tickets, frozenset()),
    )
    fields.finish()
    return state


def _tickets(value: object, where: str) -> frozenset[str]:
    return frozenset(read.all_different(read.items(read.label)(value, where), where))

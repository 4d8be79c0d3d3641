"""Hypothesis strategies: whole draws, with every option the terms can take."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.engine.bundles import STARTED, Bet, Document, make_conditions, make_terms

GAMES = ("sportloto-variant", "sportloto-position", "totolot-variant", "totolot-position", "custom", "custom")
EMPTY = ("jackpot", "other_levels", "next_lower", "next_higher", "carry_same", "carry_top")
BELOW = ("jackpot", "next_lower", "next_higher", "carry_top", "top_up")
TIMES = tuple(f"2026-12-05T{hour:02}:59:59.{fraction}Z" for hour in (8, 9, 10, 11) for fraction in ("000000", "999999"))
EARLY_STARTS = ("2026-12-05T09:59:59.999999Z", "2026-12-05T10:30:00Z", "2026-12-05T11:59:59Z")

Pick = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Draw:
    """Everything a settlement reads."""

    terms: Document
    bets: list[Bet]
    result: Document
    state: Document

    @property
    def carried_in(self) -> int:
        return sum(self.state.get("carried", {}).values())


def of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


def fractions_of(pick: Pick, highest: int, parts: int) -> list[str]:
    """Pick `parts` fractions that add up to 1; some may be 0."""
    weights = pick(st.lists(st.integers(0, highest), min_size=parts, max_size=parts).filter(any))
    return [str(Fraction(weight, sum(weights))) for weight in weights]


def levels_of(pick: Pick, jackpot_too: bool) -> tuple[list[Document], str]:
    """Pick disjoint ranges of match shares, in any order, with shares of the fund; and the jackpot's share."""
    bounds = sorted(pick(st.sets(st.integers(0, 12), min_size=1, max_size=8)))
    levels: list[Document] = []
    while bounds:
        low = bounds.pop(0)
        high = bounds.pop(0) if bounds and pick(st.booleans()) else low
        levels.append({"code": f"L{high}", "from": str(Fraction(low, 12)), "to": str(Fraction(high, 12))})
    if all(level["to"] != "1" for level in levels) and pick(of(True, True, False)):
        levels[-1]["to"] = "1"  # most real pools pay the complete match
    shares = fractions_of(pick, 9, len(levels) + 1 if jackpot_too else len(levels))
    for level, share in zip(levels, shares, strict=False):
        level["share"] = share
    return pick(st.permutations(levels)), shares[-1] if jackpot_too else "0"


def amount_of(pick: Pick, terms: Document) -> int | str:
    """Pick a least or greatest dividend, on the rounding's step or off it."""
    if terms["divide_by"] == "lines":
        return int(pick(st.integers(0, 60))) * int(pick(of(1, 5, 50, 100)))
    return str(Fraction(pick(st.integers(0, 80)), pick(of(1, 3, 8))))


def rounding_of(pick: Pick, terms: Document) -> Document:
    mode = pick(of("down", "down", "nearest"))
    if terms["divide_by"] == "lines":
        return {"mode": mode, "step": pick(of(1, 5, 10, 100)), "of": "winning"}
    return {"mode": mode, "step": pick(of(1, 2, "1/10", "0.25")), "of": pick(of("winning", "coefficient"))}


def add_custom_options(pick: Pick, terms: Document) -> None:
    """Pick what only a custom pool may announce; limits may contradict one another, as announcers do."""
    terms["divide_by"] = pick(of("lines", "stakes"))
    if pick(st.booleans()):
        terms["rounding"] = rounding_of(pick, terms)
    terms["empty_level"] = pick(of(*EMPTY))
    for level in terms["levels"]:
        if pick(of(True, False, False)):
            level["empty"] = pick(of(*EMPTY))
    kind = pick(of("none", "none", "monotone", "minimum", "maximum", "both"))
    if kind == "monotone":
        terms["monotone"] = True
    if kind in ("minimum", "both"):
        terms["min_dividend"] = {"amount": amount_of(pick, terms), "below": pick(of(*BELOW))}
        if pick(st.booleans()):
            own = {"amount": amount_of(pick, terms), "below": pick(of(*BELOW))}
            terms["levels"][0]["min_dividend"] = pick(of(own, None))
    if kind in ("maximum", "both"):
        terms["max_dividend"] = {"amount": amount_of(pick, terms), "above": pick(of("jackpot", "next_lower"))}


def add_law(pick: Pick, terms: Document) -> None:
    """Pick within the limits of the game's paragraphs."""
    game, variant = terms["game"], terms["game"].endswith("variant")
    if game.startswith("sportloto"):
        terms["fund"] = pick(of("7/10", "0.71", "5/6", "1"))
        terms["divide_by"] = "lines"
        if pick(st.booleans()):
            terms["min_dividend"] = {"amount": pick(st.integers(0, 400)), "below": "top_up"}
        if pick(st.booleans()):
            terms["max_dividend"] = {"amount": pick(st.integers(0, 2000)), "above": "jackpot"}
    else:
        terms["fund"] = pick(of("3/5", "0.6"))
        terms["divide_by"] = "stakes"
        position = ("jackpot", "other_levels", "next_lower", "next_higher")
        terms["empty_level"] = "jackpot" if variant else pick(of(*position))


def terms_of(pick: Pick) -> Document:
    game = pick(of(*GAMES))
    count = 1 if game.endswith("variant") else pick(st.integers(1, 4))
    outcomes = [pick(of("1X2", "12", "ABCD")) for _ in range(count)]
    terms = make_terms(game=game, conditions=make_conditions(*outcomes))
    if game.endswith("variant"):
        terms["levels"] = [{"code": "all", "from": "1", "to": "1", "share": "1"}]
    else:
        terms["levels"], terms["jackpot_share"] = levels_of(pick, jackpot_too=game == "custom" and pick(st.booleans()))
    if game == "custom":
        terms["fund"] = pick(of("0", "1/3", "13/20", "0.777", "1"))
        add_custom_options(pick, terms)
    else:
        add_law(pick, terms)
    free = terms["divide_by"] == "stakes"
    terms["price"] = {"min": 1, "max": 10**6} if free else {"line": pick(of(1, 7, 100, 250))}
    terms["void_condition"] = pick(of("refund", "all_match", "all_match", "exclude", "exclude"))
    terms["min_valid_conditions"] = pick(of(1, 1, 1, count))
    terms["min_turnover"] = pick(of(0, 0, 0, 500))
    codes = [level["code"] for level in terms["levels"]]
    terms["guarantee"] = {code: pick(st.integers(0, 5000)) for code in codes if pick(of(True, False, False))}
    if pick(of(True, False, False)):
        terms["jackpot"] = {"level": pick(of(*codes)), "share": pick(of("0", "1/3", "1"))}
    return terms


def bets_of(pick: Pick, terms: Document, largest: int) -> list[Bet]:
    bets = []
    for number in range(pick(st.integers(0, largest))):
        marks = []
        for condition in terms["conditions"]:
            codes = [outcome["code"] for outcome in condition["outcomes"]]
            marked = pick(st.sets(of(*codes), min_size=1, max_size=3))
            marks.append(tuple(code for code in codes if code in marked))
        bet = Bet(f"T-{number:03}", tuple(marks), 0, pick(of(*TIMES)))
        price = terms["price"].get("line") or pick(st.integers(1, 500))
        bets.append(Bet(bet.ticket, bet.marks, price * bet.lines, bet.registered_at))
    return bets


def result_of(pick: Pick, terms: Document) -> Document:
    conditions: Document = {}
    for condition in terms["conditions"]:
        codes = [outcome["code"] for outcome in condition["outcomes"]]
        right = sorted(pick(st.sets(of(*codes), min_size=1, max_size=2)))
        conditions[condition["code"]] = "void" if pick(st.integers(0, 7)) == 0 else right
    return {
        "protocol": {"number": "1", "digest": "sha256:" + "1" * 64, "sealed_at": "2026-12-05T15:00:00Z"},
        "first_started_at": pick(of(STARTED, STARTED, STARTED, *EARLY_STARTS)),
        "conditions": conditions,
        "event_void": pick(st.integers(0, 19)) == 0,
    }


def state_of(pick: Pick, terms: Document, bets: list[Bet]) -> Document:
    state: Document = {}
    if pick(st.booleans()):
        state["jackpot_in"] = pick(st.integers(0, 10_000))
    if pick(st.booleans()):
        codes = [level["code"] for level in terms["levels"]]
        state["carried"] = {code: pick(st.integers(0, 3000)) for code in codes if pick(st.booleans())}
    if pick(of(True, False, False)):
        state["cancelled"] = [bet.ticket for bet in bets if pick(of(True, False, False))]
    return state


@st.composite
def draws(draw: st.DrawFn, largest: int = 8) -> Draw:
    """Whole draws of up to `largest` bets in any game."""
    terms = terms_of(draw)
    bets = bets_of(draw, terms, largest)
    return Draw(terms, bets, result_of(draw, terms), state_of(draw, terms, bets))


@st.composite
def tallies(draw: st.DrawFn) -> tuple[Document, Document]:
    """Terms, and a tally no bets could fill: large sums, many winners, in any proportion."""
    terms = terms_of(draw)
    levels: Document = {}
    for level in terms["levels"]:
        bets = draw(st.dictionaries(st.integers(1, 10**5), st.integers(1, 50), max_size=4))
        count = sum(bets.values())
        stakes = sum(stake * winners for stake, winners in bets.items())
        levels[level["code"]] = {
            "lines": count,
            "stakes": stakes,
            "bets": {str(stake): winners for stake, winners in bets.items()},
        }
    spare = draw(st.integers(0, 10**12))
    turnover = sum(level["stakes"] for level in levels.values()) + spare
    refunds = draw(of(0, 0, spare // 3, spare))
    net = turnover - refunds
    terms["min_turnover"] = draw(of(0, 0, net, net + 1))  # met, just met, just missed
    carried = {level["code"]: draw(st.integers(0, 10**9)) for level in terms["levels"] if draw(st.booleans())}
    return terms, {
        "turnover": turnover,
        "refunds": refunds,
        "returned": False,
        "lines": turnover,
        "jackpot_in": draw(st.integers(0, 10**10)),
        "carried": carried,
        "levels": levels,
    }

"""A second engine, slow and plain, written from the bundle's description alone.

Every system bet is expanded into its lines, and every line is compared outcome by outcome. It shares no code with the
engine and knows no polynomial: what both agree on was reached by two ways. `brute_division` is its half about money.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

from tests.engine.brute_division import Division
from tests.engine.bundles import Bet, Document


def lines_of(bet: Bet) -> list[tuple[str, ...]]:
    return list(product(*bet.marks))


def matches_of(line: tuple[str, ...], terms: Document, result: Document) -> int:
    policy = terms.get("void_condition", "refund")
    matched = 0
    for mark, condition in zip(line, terms["conditions"], strict=True):
        right = result["conditions"][condition["code"]]
        if right == "void":
            matched += policy == "all_match"
        else:
            matched += mark in right
    return matched


def base_of(terms: Document, result: Document) -> int:
    valid = [right for right in result["conditions"].values() if right != "void"]
    return len(valid) if terms.get("void_condition") == "exclude" else len(result["conditions"])


def level_for(terms: Document, matched: int, base: int) -> str | None:
    for level in terms["levels"]:
        if Fraction(level["from"]) <= Fraction(matched, base) <= Fraction(level["to"]):
            return str(level["code"])
    return None


def returned(terms: Document, result: Document, net: int) -> bool:
    conditions = result["conditions"].values()
    void = sum(right == "void" for right in conditions)
    valid = len(conditions) - void
    refunding = terms.get("void_condition", "refund") == "refund" or terms["game"].endswith("-variant")
    return bool(
        result.get("event_void", False)
        or (void and refunding)
        or valid < max(1, terms.get("min_valid_conditions", 1))
        or net < terms.get("min_turnover", 0)
    )


def winning_lines(terms: Document, result: Document, bet: Bet) -> Counter[str]:
    """How many lines of a bet fall on each level."""
    base = base_of(terms, result)
    on: Counter[str] = Counter()
    for line in lines_of(bet):
        code = level_for(terms, matches_of(line, terms, result), base)
        if code is not None:
            on[code] += 1
    return on


def tally_of(terms: Document, bets: list[Bet], result: Document, state: Document) -> Document:
    """Count a pool's bets into what tally.json holds."""
    cancelled = set(state.get("cancelled", []))
    out = {
        bet.ticket for bet in bets if bet.ticket in cancelled or bet.registered_at >= _six(result["first_started_at"])
    }
    turnover = sum(bet.stake for bet in bets)
    refunds = sum(bet.stake for bet in bets if bet.ticket in out)
    all_back = returned(terms, result, turnover - refunds)
    levels: Document = {level["code"]: {"lines": 0, "stakes": 0, "bets": Counter()} for level in terms["levels"]}
    for bet in [] if all_back else bets:
        if bet.ticket in out:
            continue
        for code, lines in winning_lines(terms, result, bet).items():
            stake = bet.stake // bet.lines * lines
            levels[code]["lines"] += lines
            levels[code]["stakes"] += stake
            levels[code]["bets"][str(stake)] += 1
    return {
        "turnover": turnover,
        "refunds": turnover if all_back else refunds,
        "returned": all_back,
        "lines": sum(bet.lines for bet in bets),
        "jackpot_in": state.get("jackpot_in", 0),
        "carried": state.get("carried", {}),
        "levels": levels,
    }


def _six(instant: str) -> str:
    """Write an instant with six decimals, so that instants compare as text."""
    return instant if "." in instant else instant.replace("Z", ".000000Z")


def winnings_of(terms: Document, bets: list[Bet], result: Document, state: Document) -> list[str]:
    """Return the rows of winnings.csv, every bet's lines counted one by one."""
    tally = tally_of(terms, bets, result, state)
    if tally["returned"]:
        return []
    division = Division(terms, tally)
    division.run()
    cancelled = set(state.get("cancelled", []))
    rows = []
    for bet in sorted(bets, key=lambda bet: bet.ticket.encode()):
        if bet.ticket in cancelled or bet.registered_at >= _six(result["first_started_at"]):
            continue
        on = winning_lines(terms, result, bet)
        for level in division.levels:
            if level.live and on[level.code]:
                stake = bet.stake // bet.lines * on[level.code]
                rows.append(
                    f"{bet.ticket},{level.code},{on[level.code]},{division.winning(level, on[level.code], stake)}"
                )
    return rows

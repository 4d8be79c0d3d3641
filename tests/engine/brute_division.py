"""The second engine's money: one tally divided, in exact fractions until the moment the rules round (steps 4 to 10)."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from tests.engine.bundles import Document


@dataclass
class Level:
    """A level while money moves between levels."""

    code: str
    top: Fraction
    share: Fraction
    lines: int
    stakes: int
    bets: dict[int, int]
    empty: str
    minimum: Document | None
    fund: int = 0
    organizers: int = 0
    dead: bool = False

    def __post_init__(self) -> None:
        self.moved: list[Document] = []

    @property
    def live(self) -> bool:
        return self.lines > 0 and not self.dead


class Division:
    """Steps 4 to 10: one tally's money, moved step by step."""

    def __init__(self, terms: Document, tally: Document) -> None:
        self.terms, self.tally = terms, tally
        rounding = {"mode": "down", "step": 1, "of": "winning", **terms.get("rounding", {})}
        self.mode, self.step, self.of = rounding["mode"], Fraction(rounding["step"]), rounding["of"]
        self.by_lines = terms["divide_by"] == "lines"
        self.added = 0
        self.jackpot_out = 0
        self.carried: Counter[str] = Counter()
        self.levels = [
            Level(
                code=level["code"],
                top=Fraction(level["to"]),
                share=Fraction(level["share"]),
                lines=tally["levels"].get(level["code"], {}).get("lines", 0),
                stakes=tally["levels"].get(level["code"], {}).get("stakes", 0),
                bets={int(s): n for s, n in tally["levels"].get(level["code"], {}).get("bets", {}).items()},
                empty=level.get("empty", terms["empty_level"]),
                minimum=level["min_dividend"] if "min_dividend" in level else terms.get("min_dividend"),
            )
            for level in terms["levels"]
        ]
        self.levels.sort(key=lambda level: level.top, reverse=True)

    def by_code(self, code: str) -> Level:
        return next(level for level in self.levels if level.code == code)

    def run(self) -> Document:
        net = self.tally["turnover"] - self.tally["refunds"]
        if self.tally["returned"] or net < self.terms.get("min_turnover", 0):
            return self.everything_returned()
        fund = ceil(net * Fraction(self.terms["fund"]))
        self.split(fund)
        self.join()
        self.hand_on_empty()
        if self.terms.get("monotone"):
            self.make_monotone()
        self.apply_minimum()
        self.apply_maximum()
        return self.statement(net - fund, fund)

    def split(self, fund: int) -> None:
        to_jackpot = floor(fund * Fraction(self.terms.get("jackpot_share", "0")))
        for level in self.levels[1:]:
            level.fund = floor(fund * level.share)
        self.levels[0].fund = fund - to_jackpot - sum(level.fund for level in self.levels[1:])
        self.jackpot_out += to_jackpot

    def join(self) -> None:
        for code, amount in self.tally["carried"].items():
            self.by_code(code).fund += amount
        drawn = 0
        if self.terms.get("jackpot"):
            drawn = floor(self.tally["jackpot_in"] * Fraction(self.terms["jackpot"]["share"]))
            self.by_code(self.terms["jackpot"]["level"]).fund += drawn
        self.jackpot_out += self.tally["jackpot_in"] - drawn
        for code, amount in self.terms.get("guarantee", {}).items():
            level = self.by_code(code)
            if level.live and level.fund < amount:
                self.add(level, amount - level.fund)

    def add(self, level: Level, amount: int) -> None:
        """The organizer's own money, for the winners of this level."""
        self.added += amount
        level.fund += amount
        level.organizers += amount

    def give_back(self, level: Level, leaving: int) -> int:
        """What leaves a level is the organizer's before it is anybody else's; return how much of it is."""
        back = min(leaving, level.organizers)
        self.add(level, -back)
        return back

    def move(self, source: Level, target: str, amount: int, why: str) -> None:
        source.fund -= amount
        if amount:
            source.moved.append({"to": target, "amount": amount, "why": why})
        if target == "jackpot":
            self.jackpot_out += amount
        elif target.startswith("carried:"):
            self.carried[target.removeprefix("carried:")] += amount
        else:
            self.by_code(target).fund += amount

    def neighbour(self, source: Level, mode: str) -> str:
        place = self.levels.index(source)
        others = self.levels[place + 1 :] if mode == "next_lower" else self.levels[:place][::-1]
        return next((level.code for level in others if level.live), "jackpot")

    def move_all(self, source: Level, mode: str, why: str) -> None:
        if mode in ("next_lower", "next_higher"):
            self.move(source, self.neighbour(source, mode), source.fund, why)
        elif mode == "carry_same":
            self.move(source, f"carried:{source.code}", source.fund, why)
        elif mode == "carry_top":
            self.move(source, f"carried:{self.levels[0].code}", source.fund, why)
        elif mode == "other_levels":
            self.move_to_others(source, why)
        else:
            self.move(source, "jackpot", source.fund, why)

    def move_to_others(self, source: Level, why: str) -> None:
        live = [level for level in self.levels if level.live]
        if not live:
            self.move(source, "jackpot", source.fund, why)
            return
        shares = sum(level.share for level in live)
        whole = source.fund
        for level in live[1:]:
            self.move(source, level.code, floor(whole * level.share / shares) if shares else 0, why)
        self.move(source, live[0].code, source.fund, why)

    def hand_on_empty(self) -> None:
        for level in self.levels:
            if not level.live:
                self.move_all(level, level.empty, "empty")

    def units(self, level: Level) -> int:
        return level.lines if self.by_lines else level.stakes

    def make_monotone(self) -> None:
        live = [level for level in self.levels if level.live]
        changed = True
        while changed:
            changed = False
            for higher, lower in pairwise(live):
                if Fraction(higher.fund, self.units(higher)) < Fraction(lower.fund, self.units(lower)):
                    joined = self.units(higher) + self.units(lower)
                    keeps = (higher.fund + lower.fund) * self.units(lower) // joined
                    self.move(lower, higher.code, lower.fund - keeps, "monotone")
                    changed = True
                    break

    def rounded(self, value: Fraction) -> Fraction:
        steps = value / self.step
        return floor(steps + Fraction(1, 2) if self.mode == "nearest" else steps) * self.step

    def dividend(self, level: Level) -> Fraction:
        """What a line, or a unit of stake, is paid once rounded."""
        exact = Fraction(level.fund, self.units(level))
        return self.rounded(exact) if self.by_lines or self.of == "coefficient" else exact

    def apply_minimum(self) -> None:
        checking = True
        while checking:
            checking = False
            for level in reversed(self.levels):
                if not level.live or not level.minimum:
                    continue
                amount = Fraction(level.minimum["amount"])
                if self.dividend(level) >= amount:
                    continue
                if level.minimum["below"] == "top_up":
                    needed = ceil(amount * self.units(level))
                    self.add(level, max(needed - level.fund, 0))
                else:
                    level.dead = True
                    self.give_back(level, level.fund)
                    self.move_all(level, level.minimum["below"], "minimum")
                    checking = True
                    break

    def apply_maximum(self) -> None:
        maximum = self.terms.get("max_dividend")
        for level in self.levels:
            if maximum and level.live and self.dividend(level) > Fraction(maximum["amount"]):
                excess = max(level.fund - ceil(Fraction(maximum["amount"]) * self.units(level)), 0)
                excess -= self.give_back(level, excess)
                target = self.neighbour(level, "next_lower") if maximum["above"] == "next_lower" else "jackpot"
                self.move(level, target, excess, "maximum")

    def winning(self, level: Level, lines: int, stake: int) -> int:
        """What one bet wins on a live level."""
        if self.by_lines:
            return int(self.dividend(level)) * lines
        exact = stake * self.dividend(level)
        if self.of == "winning" and self.mode == "nearest":
            return floor(exact + Fraction(1, 2))
        return floor(exact)

    def paid_on(self, level: Level) -> int:
        if not level.live:
            return 0
        if self.by_lines:
            return self.winning(level, level.lines, 0)
        if self.of == "coefficient" and self.step.denominator == 1:
            return int(self.dividend(level)) * level.stakes
        return sum(count * self.winning(level, 0, stake) for stake, count in level.bets.items())

    def level_statement(self, level: Level) -> Document:
        dividend = self.dividend(level) if level.live else Fraction(0)
        paid = self.paid_on(level)
        overdrawn = max(paid - level.fund, 0)
        remainder = level.fund + overdrawn - paid
        self.added += overdrawn
        self.jackpot_out += remainder
        shown = floor(dividend * 10**6)
        stakes_pay = level.lines > 0 and not self.by_lines
        return {
            "code": level.code,
            "fund": paid + remainder + sum(move["amount"] for move in level.moved),
            "lines": level.lines,
            "stakes": level.stakes,
            "dividend": int(dividend) if level.lines and self.by_lines else None,
            "coefficient": str(dividend) if stakes_pay else None,
            "coefficient_shown": f"{shown // 10**6}.{shown % 10**6:06}" if stakes_pay else None,
            "paid": paid,
            "remainder": remainder,
            "moved": level.moved,
        }

    def statement(self, takeout: int, fund: int) -> Document:
        levels = [self.level_statement(level) for level in self.levels]
        return {
            "turnover": self.tally["turnover"],
            "refunds": self.tally["refunds"],
            "takeout": takeout,
            "fund": fund,
            "added": self.added,
            "jackpot_in": self.tally["jackpot_in"],
            "jackpot_out": self.jackpot_out,
            "winnings": sum(level["paid"] for level in levels),
            "levels": levels,
            "carried": {code: amount for code, amount in self.carried.items() if amount},
        }

    def everything_returned(self) -> Document:
        nothing = {"fund": 0, "lines": 0, "stakes": 0, "dividend": None, "coefficient": None}
        nothing |= {"coefficient_shown": None, "paid": 0, "remainder": 0}
        return {
            "turnover": self.tally["turnover"],
            "refunds": self.tally["turnover"],
            "takeout": 0,
            "fund": 0,
            "added": 0,
            "jackpot_in": self.tally["jackpot_in"],
            "jackpot_out": self.tally["jackpot_in"],
            "winnings": 0,
            "levels": [{"code": level.code, **nothing, "moved": []} for level in self.levels],
            "carried": {code: amount for code, amount in self.tally["carried"].items() if amount},
        }


def statement_of(terms: Document, tally: Document) -> dict[str, Any]:
    """Divide a tally's money into what statement.json says of it."""
    return Division(terms, tally).run()

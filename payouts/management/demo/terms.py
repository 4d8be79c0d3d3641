"""The terms of the demonstration's pools, as an organizer's staff would draft them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from payouts.management.demo.matches import SIGNS, Match, Round
from pools.models import CommissionKey, Game

LINE_PRICE = 100
STAKE_LIMITS = {"min": 100, "max": 10_000_000}
SIGNATURES_NEEDED = 2
BELARUSIAN = {
    "Спортлото": "Спартлато",
    "Тотолот": "Таталот",
    "Исход матча": "Зыход матчу",
    "Розыгрыш джек-пота": "Розыгрыш джэк-пота",
}


@dataclass(frozen=True, slots=True)
class Announcement:
    """What all pools of one round share."""

    opens_at: datetime
    closes_at: datetime
    rules_version: str
    keys: Sequence[CommissionKey]


@dataclass(frozen=True, slots=True)
class PlannedPool:
    """A pool to be announced: its terms.json document and the matches that its conditions are."""

    document: Mapping[str, Any]
    matches: tuple[Match, ...]

    @property
    def code(self) -> str:
        return str(self.document["pool"]["code"])

    @property
    def line_price(self) -> int | None:
        """Kopecks a line, or None where the player chooses the stake."""
        price = self.document["price"].get("line")
        return None if price is None else int(price)


def fifteen_matches(code: str, played: Round, announcement: Announcement) -> PlannedPool:
    """Plan a Sportloto-Position on all matches of a round; all fifteen right is hard, so its fund rolls over."""
    shares = {15: "3/10", 14: "1/5", 13: "3/20", 12: "3/20", 11: "1/5"}
    levels = [_exactly(right, len(played.matches), share) for right, share in shares.items()]
    return _sportloto(code, "Спортлото-15", "Sportloto 15", played, announcement, levels=levels)


def jackpot_pool(code: str, played: Round, announcement: Announcement) -> PlannedPool:
    """Plan the specially announced pool that draws the jackpot (¶18)."""
    count = len(played.matches)
    levels = [_exactly(count, count, "3/5"), _exactly(count - 1, count, "2/5")]
    draw = {"level": str(count), "share": "1"}
    return _sportloto(code, "Розыгрыш джек-пота", "Jackpot draw", played, announcement, levels=levels, jackpot=draw)


def open_pool_for_visitors(code: str, played: Round, announcement: Announcement) -> PlannedPool:
    """Plan the pool that stays open when the demonstration is over."""
    count = len(played.matches)
    levels = [_exactly(count, count, "1/2"), _exactly(count - 1, count, "1/5"), _exactly(count - 2, count, "3/10")]
    name = f"Спортлото-{count}"
    return _sportloto(code, name, f"Sportloto {count}", played, announcement, levels=levels)


def one_match(code: str, played: Round, announcement: Announcement) -> PlannedPool:
    """Plan a Totolot-Variant on one match with a free stake."""
    level = {"code": "1", "from": "1", "to": "1", "share": "1"}
    return _totolot(code, Game.TOTOLOT_VARIANT, "Исход матча", "Match result", played, announcement, levels=[level])


def eight_matches(code: str, played: Round, announcement: Announcement) -> PlannedPool:
    """Plan a Totolot-Position with a range as its lowest level; an empty level's fund goes to the others (D-14)."""
    count = len(played.matches)
    wide = {"code": f"{count - 3}-{count - 2}", "from": f"{count - 3}/{count}", "to": f"{count - 2}/{count}"}
    levels = [_exactly(count, count, "1/2"), _exactly(count - 1, count, "1/4"), {**wide, "share": "1/4"}]
    return _totolot(
        code, Game.TOTOLOT_POSITION, f"Тотолот-{count}", f"Totolot {count}", played, announcement,
        levels=levels, empty_level="other_levels",
    )  # fmt: skip


def _exactly(right: int, of: int, share: str) -> dict[str, str]:
    return {"code": str(right), "from": f"{right}/{of}", "to": f"{right}/{of}", "share": share}


def _sportloto(
    code: str, name: str, english: str, played: Round, announcement: Announcement, **own: Any
) -> PlannedPool:
    fixed = {
        "game": Game.SPORTLOTO_POSITION.value, "price": {"line": LINE_PRICE}, "fund": "7/10", "divide_by": "lines",
        "empty_level": "jackpot",
    }  # fmt: skip
    return _planned(code, name, english, played, announcement, {**fixed, **own})


def _totolot(
    code: str, game: Game, name: str, english: str, played: Round, announcement: Announcement, **own: Any
) -> PlannedPool:
    fixed = {
        "game": game.value, "price": STAKE_LIMITS, "fund": "3/5", "divide_by": "stakes", "empty_level": "jackpot",
    }  # fmt: skip
    return _planned(code, name, english, played, announcement, {**fixed, **own})


def _planned(
    code: str, name: str, english: str, played: Round, announcement: Announcement, own: Mapping[str, Any]
) -> PlannedPool:
    titles = {"ru": name, "be": _in_belarusian(name), "en": english}
    document = {
        "format": 1,
        "pool": {"code": code, "name": {which: f"{title}: {played.name[which]}" for which, title in titles.items()}},
        "opens_at": instant_text(announcement.opens_at),
        "closes_at": instant_text(announcement.closes_at),
        "rules_version": announcement.rules_version,
        "conditions": [
            {"code": str(number), "name": match.name(), "outcomes": [{"code": sign} for sign in SIGNS]}
            for number, match in enumerate(played.matches, start=1)
        ],
        "void_condition": "refund",
        "quorum": {"members": [key.key_id for key in announcement.keys], "need": SIGNATURES_NEEDED},
        **own,
    }
    return PlannedPool(document, played.matches)


def _in_belarusian(name: str) -> str:
    for russian, belarusian in BELARUSIAN.items():
        name = name.replace(russian, belarusian)
    return name


def instant_text(instant: datetime) -> str:
    """Write a UTC instant to the second."""
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}"

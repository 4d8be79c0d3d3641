"""Terms documents to start a draft from: one for each game, complete and lawful, to be changed by hand."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pools.models import Game

CONDITIONS = 15


def example_terms(
    game: str, *, opens_at: datetime, closes_at: datetime, rules_version: str, key_ids: Sequence[str]
) -> dict[str, Any]:
    """Return a whole terms.json for `game`, under the rules text and the commission that are there now."""
    variant, sportloto = game.endswith("variant"), game.startswith("sportloto")
    count = 1 if variant else CONDITIONS
    return {
        "format": 1,
        "game": game,
        "pool": {"code": f"{closes_at:%y%m%d}-1", "name": _names("Тур", "Тур", "Round")},
        "opens_at": _text(opens_at),
        "closes_at": _text(closes_at),
        "rules_version": rules_version,
        "price": {"line": 100} if sportloto else {"min": 100, "max": 1_000_000},
        "max_lines": 10_000,
        "conditions": [_condition(number) for number in range(1, count + 1)],
        "fund": "7/10" if sportloto else "3/5",
        "levels": _levels(count),
        "divide_by": "lines" if sportloto else "stakes",
        "empty_level": "jackpot",
        "void_condition": "refund" if variant else "all_match",
        "quorum": {"members": list(key_ids), "need": 2},
    }


def games() -> list[tuple[str, str]]:
    """Return the games to choose from, with their names."""
    return [(str(value), str(label)) for value, label in Game.choices]


def _names(ru: str, be: str, en: str) -> dict[str, str]:
    return {"ru": ru, "be": be, "en": en}


def _condition(number: int) -> dict[str, Any]:
    name = _names(f"Матч {number}", f"Матч {number}", f"Match {number}")
    return {"code": str(number), "name": name, "outcomes": [{"code": code} for code in ("1", "X", "2")]}


def _levels(count: int) -> list[dict[str, str]]:
    if count == 1:
        return [{"code": "1", "from": "1", "to": "1", "share": "1"}]
    shares = {count: "1/2", count - 1: "1/4", count - 2: "1/4"}
    return [
        {"code": str(hits), "from": f"{hits}/{count}", "to": f"{hits}/{count}", "share": share}
        for hits, share in shares.items()
    ]


def _text(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")

"""The real matches that the demonstration sells, read from `rounds/`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

ROUNDS = Path(__file__).parent / "rounds"
SIGNS = ("1", "X", "2")
LANGUAGES = ("ru", "be", "en")
ORIGINAL = "es"  # the language of the original names, which count (¶34)

# A sign's weight is this over its odds, so that a favourite is marked as often as he was expected to win.
_WEIGHT = 1_000_000


@dataclass(frozen=True, slots=True)
class Match:
    """One match that was played: who against whom, how it ended, and how likely each sign had seemed."""

    played_on: date
    teams: tuple[str, str]
    """Their keys in `rounds/teams.json`: at home, away."""
    home: Mapping[str, str]
    away: Mapping[str, str]
    score: str
    sign: str
    weights: tuple[int, int, int]
    """Of 1, X and 2; only their ratio means something."""

    def name(self) -> dict[str, str]:
        """Return the match's name by language, the original among them (¶34)."""
        return {language: f"{self.home[language]} – {self.away[language]}" for language in (*LANGUAGES, ORIGINAL)}


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that were played within a few days."""

    name: Mapping[str, str]
    matches: tuple[Match, ...]


def read_round(name: str) -> Round:
    """Read `rounds/<name>.json`."""
    document = _read(name)
    teams = _read("teams")
    return Round(document["name"], tuple(_match(match, teams) for match in document["matches"]))


def _read(name: str) -> Any:
    return json.loads((ROUNDS / f"{name}.json").read_text(encoding="utf-8"))


def _match(match: Mapping[str, Any], teams: Mapping[str, Mapping[str, str]]) -> Match:
    first, draw, second = (int(_WEIGHT / Fraction(match["odds"][sign])) for sign in SIGNS)
    return Match(
        played_on=date.fromisoformat(match["played_on"]),
        teams=(match["home"], match["away"]),
        home=_team(teams[match["home"]]),
        away=_team(teams[match["away"]]),
        score=match["score"],
        sign=match["sign"],
        weights=(first, draw, second),
    )


def _team(names: Mapping[str, str]) -> dict[str, str]:
    return {**{language: names[language] for language in LANGUAGES}, ORIGINAL: names["original"]}

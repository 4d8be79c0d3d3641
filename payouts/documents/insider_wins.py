"""Wins of staff, agents and insiders against expectation, as anybody may read them: figures and no names (X11).

It is made of what happened in the year alone: made again at any time, it is the same bytes.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from payouts.queries.reports.insiders import RARE, WHO, Luck, luck
from payouts.queries.reports.shape import Asked
from totalizator.engine.canonical import canonical_json


def insider_wins_document(year: int) -> bytes:
    """Return the document of a legal year; amounts are kopecks, expectations exact fractions."""
    found = luck(Asked(date(year, 1, 1), date(year, 12, 31)))
    return canonical_json(
        {
            "format": 1,
            "year": year,
            "rarer_than": str(RARE),
            "groups": [_group(who, (one for (kind, _name), one in found.items() if kind == who)) for who in WHO],
        }
    )


def _group(who: str, members: Iterable[Luck]) -> Mapping[str, Any]:
    all_of_them = list(members)
    rarer = sorted((one for one in all_of_them if one.reported), key=lambda one: (-one.one_in, one.bets, one.wins))
    return {
        "who": who,
        "members": len(all_of_them),
        "bets": sum(one.bets for one in all_of_them),
        "wins": sum(one.wins for one in all_of_them),
        "expected_wins": str(sum((one.expected_wins for one in all_of_them), Fraction(0))),
        "stakes": sum(one.stakes for one in all_of_them),
        "won": sum(one.won for one in all_of_them),
        "expected_won": str(sum((one.expected_won for one in all_of_them), Fraction(0))),
        "rarer": [_one(one) for one in rarer],
    }


def _one(one: Luck) -> Mapping[str, Any]:
    return {
        "bets": one.bets,
        "wins": one.wins,
        "expected_wins": str(one.expected_wins),
        "stakes": one.stakes,
        "won": one.won,
        "one_in": one.one_in,
    }

"""Bets at an instant of a test's choice: the clock is stopped, the pool is open."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from pools.models import PoolState
from pools.queries.before_bet import Facts, facts_of_bets
from pools.services import betting


def stop_clock(monkeypatch: pytest.MonkeyPatch, instant: Callable[[], datetime]) -> None:
    """Have every bet judged, and registered, at what `instant` says then."""

    def at_instant(**of_bets: Any) -> list[Facts]:
        return [replace(facts, state=PoolState.OPEN, now=instant()) for facts in facts_of_bets(**of_bets)]

    monkeypatch.setattr(betting, "facts_of_bets", at_instant)

"""Bets at an instant of a test's choice: the clock is stopped, the pool is open."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from pools.models import PoolState
from pools.queries.before_bet import Facts, facts_of_bet
from pools.services import betting


def stop_clock(monkeypatch: pytest.MonkeyPatch, instant: Callable[[], datetime]) -> None:
    """Have every bet judged, and registered, at what `instant` says then."""

    def at_instant(**of_bet: Any) -> Facts:
        return replace(facts_of_bet(**of_bet), state=PoolState.OPEN, now=instant())

    monkeypatch.setattr(betting, "facts_of_bet", at_instant)

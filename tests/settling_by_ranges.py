"""Settling small pools as if they were huge: one bet is a chunk, a few bets are a range."""

import pytest
from django.conf import settings

from pools.models import Pool, Settlement, Winning
from pools.snapshots import sealing


def huge_from(monkeypatch: pytest.MonkeyPatch, *, bets: int, ranges: int) -> None:
    """Make pools of so many bets huge, cut into so many ranges; bets sealed from now on have a sample each."""
    monkeypatch.setattr(sealing, "CHUNK", 1)
    monkeypatch.setattr(settings, "SETTLE_BY_RANGES_FROM", bets)
    monkeypatch.setattr(settings, "SETTLING_RANGE_BETS", -(-bets // ranges))


def settled_bytes(pool: Pool) -> tuple[object, ...]:
    """All that was computed of a pool."""
    computed = Settlement.objects.filter(pool=pool).values_list(
        "version", "state", "state_text", "tally_text", "statement_text", "jackpot_in"
    )
    rows = Winning.objects.filter(pool=pool).order_by("ticket", "level")
    return (*computed.get(), list(rows.values_list("ticket", "level", "lines", "amount")))

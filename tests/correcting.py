"""Correcting the result of a settled pool, through the commission's own services."""

from datetime import datetime
from functools import partial
from typing import Any

from pools.models import CorrectedWinning, Correction, Pool
from pools.queries.corrections import changed_amounts
from pools.services.correcting_settlement import correct_settlement
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, correct_result
from tests.making import PASSPHRASE
from tests.resulting import make_result, members_of


def enter_correction(pool: Pool, right: str, *, started_at: datetime | None = None, **more: Any) -> ResultProgress:
    """Let two members enter what the result should have been: a correcting protocol is drawn up."""
    act = partial(
        correct_result,
        code=pool.code,
        result=make_result(pool, right, started_at=started_at, **more),
        reason="Home and away were mixed up.",
        document="Referee's sheet 12",
    )
    first, second = members_of(pool)[:2]
    act(member=first)
    return act(member=second)


def sign_correction(pool: Pool) -> None:
    """Let two members sign it: it is sealed."""
    signed = [sign_protocol(code=pool.code, member=each, passphrase=PASSPHRASE) for each in members_of(pool)[:2]]
    assert signed == [False, True]


def correct(pool: Pool, right: str, *, started_at: datetime | None = None, **more: Any) -> Correction:
    """Correct the result of a settled pool, to the official correction of its settlement."""
    enter_correction(pool, right, started_at=started_at, **more)
    sign_correction(pool)
    return correct_settlement(code=pool.code, actor="test")


def corrected_winnings(pool: Pool) -> dict[tuple[str, str], int]:
    """(ticket, level) → kopecks, of every row by the correction."""
    rows = CorrectedWinning.objects.filter(pool=pool).values_list("ticket", "level", "amount")
    return {(ticket, level): amount for ticket, level, amount in rows}


def changes_of(pool: Pool) -> list[tuple[str, str, int, int]]:
    """(ticket, kind, before, after) of everything that the correction changes."""
    return [(each.ticket, each.kind, each.before, each.after) for each in changed_amounts(pool)]

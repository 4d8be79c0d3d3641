"""Bringing a pool from its last bet to a sealed result: plain functions, through the commission's own services."""

from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from pools.models import Pool
from pools.services.closing import close_pool
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, enter_result
from tests.making import PASSPHRASE, instant
from totalizator.core import clock


def close_by_clock(pool: Pool, *, after: timedelta = timedelta(minutes=1)) -> Pool:
    """Move the clock to `after` the announced closing, and close."""
    clock.move_clock(pool.closes_at - clock.now() + after)
    return close_pool(code=pool.code, actor="test")


def members_of(pool: Pool) -> list[User]:
    """The commission of the pool."""
    return [row.member for row in pool.members.select_related("member").order_by("member_id")]


def make_result(
    pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False
) -> dict[str, Any]:
    """A result from a text such as `1;X+2;void`, the first start at the closing unless given."""
    outcomes = [part if part == "void" else part.split("+") for part in right.split(";")]
    codes = [condition.code for condition in pool.terms.conditions]
    return {
        "conditions": dict(zip(codes, outcomes, strict=True)),
        "event_void": event_void,
        "first_started_at": instant(started_at or pool.closes_at),
    }


def draw_up(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> ResultProgress:
    """Let two members enter the same result."""
    result = make_result(pool, right, started_at=started_at, event_void=event_void)
    first, second = members_of(pool)[:2]
    enter_result(code=pool.code, member=first, result=result)
    return enter_result(code=pool.code, member=second, result=result)


def seal(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> Pool:
    """Draw up the protocol of a closed pool and let two members sign it: the pool is resulted."""
    draw_up(pool, right, started_at=started_at, event_void=event_void)
    first, second = members_of(pool)[:2]
    assert not sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    assert sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE)
    pool.refresh_from_db()
    return pool

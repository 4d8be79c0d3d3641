"""Bringing a pool from its last bet to a sealed result: plain functions, through the commission's own services."""

from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from pools.models import Evidence, Pool
from pools.services.closing import close_pool
from pools.services.evidence import file_evidence
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, enter_result
from tests.making import PASSPHRASE, instant
from totalizator.core import clock


def close_by_clock(pool: Pool, *, after: timedelta = timedelta(minutes=1)) -> Pool:
    """Move the clock to `after` the announced closing, close, and file evidence of the whole event."""
    clock.move_clock(pool.closes_at - clock.now() + after)
    closed = close_pool(code=pool.code, actor="test")
    file_proof(closed)
    return closed


def file_proof(pool: Pool, condition: str = "", *, content: bytes = b"the whole round") -> Evidence:
    """Evidence of the whole event, or of one condition, filed by the first member."""
    return file_evidence(
        code=pool.code,
        condition=condition,
        source="The federation",
        address="https://example.org/round",
        captured_at=clock.now(),
        content=content,
        original_name="round.txt",
        filed_by=members_of(pool)[0],
    )


def members_of(pool: Pool) -> list[User]:
    """The commission of the pool."""
    return [row.member for row in pool.members.select_related("member").order_by("member_id")]


def make_result(
    pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False
) -> dict[str, Any]:
    """A result from a text such as `1;X+2;void`, the first start at the closing unless given."""
    outcomes = [part if part == "void" else part.split("+") for part in right.split(";")]
    codes = [condition.code for condition in pool.terms.conditions]
    void = ["event"] if event_void else [code for code, right in zip(codes, outcomes, strict=True) if right == "void"]
    return {
        "conditions": dict(zip(codes, outcomes, strict=True)),
        "event_void": event_void,
        "first_started_at": instant(started_at or pool.closes_at),
        "void_reasons": dict.fromkeys(void, "Rain."),
    }


def draw_up(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> ResultProgress:
    """Let two members enter the same result, from evidence that is filed if there is none."""
    if not pool.evidence.exists():
        file_proof(pool)
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

"""Taking pools from a draft to an official settlement, each step by the people whose step it is."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any

from payouts.management.demo.admitting import read_register
from payouts.management.demo.cast import Cast, secret_of
from payouts.management.demo.terms import SIGNATURES_NEEDED, PlannedPool, instant_text
from payouts.management.demo.waiting import Stage
from pools.models import Commitment, Pool, PoolState
from pools.services.drafting import announce_pool, draft_pool
from pools.services.evidence import file_evidence
from pools.services.protocols import sign_protocol
from pools.services.results import enter_result
from totalizator.core import clock

START_AFTER_CLOSING = timedelta(minutes=5)
RESULT_AFTER_CLOSING = timedelta(hours=3)


def announce(plans: Iterable[PlannedPool], cast: Cast) -> None:
    """Draft each pool by one organizer and announce it by the other (¶8, A1)."""
    for plan in plans:
        draft_pool(document=plan.document, prepared_by=cast.drafter)
        announce_pool(code=plan.code, announced_by=cast.announcer)


def open_by_clock(plans: Sequence[PlannedPool], stage: Stage) -> None:
    """Let the opening time come; that morning the register of restricted persons is read."""
    stage.move_clock_to(max(pool.opens_at for pool in _pools(plans)))
    read_register()
    stage.wait_for("the pools to open", _all_in(plans, PoolState.OPEN))


def close_by_clock(plans: Sequence[PlannedPool], stage: Stage) -> None:
    """Let the closing time come."""
    stage.move_clock_to(max(pool.closes_at for pool in _pools(plans)))
    codes = [plan.code for plan in plans]
    sealed = Commitment.objects.filter(pool__code__in=codes)
    stage.wait_for("the pools to close", lambda: sealed.count() == len(codes))


def decide(plans: Sequence[PlannedPool], cast: Cast, stage: Stage) -> None:
    """Have the matches played: two members enter the result on their own, enough of them sign, Celery settles."""
    stage.move_clock_to(max(pool.closes_at for pool in _pools(plans)) + RESULT_AFTER_CLOSING)
    for plan in plans:
        _file_evidence(plan, cast)
        for member in cast.members[:2]:
            enter_result(code=plan.code, member=member, result=_result(plan))
        for member in cast.members[:SIGNATURES_NEEDED]:
            sign_protocol(code=plan.code, member=member, passphrase=secret_of(member.username))
    stage.wait_for("the pools to be settled", _all_in(plans, PoolState.SETTLED))


def _file_evidence(plan: PlannedPool, cast: Cast) -> None:
    """File the scores of the whole round, as a member took them down."""
    lines = [f"{number}. {match.sign}" for number, match in enumerate(plan.matches, start=1)]
    file_evidence(
        code=plan.code,
        condition="",
        source="Demonstration league",
        address="https://example.com/round",
        captured_at=clock.now(),
        content="\n".join(lines).encode(),
        original_name="round.txt",
        filed_by=cast.members[0],
    )


def _result(plan: PlannedPool) -> dict[str, Any]:
    closes_at = Pool.objects.get(code=plan.code).closes_at
    return {
        "conditions": {str(number): [match.sign] for number, match in enumerate(plan.matches, start=1)},
        "event_void": False,
        "first_started_at": instant_text(closes_at + START_AFTER_CLOSING),
    }


def _pools(plans: Iterable[PlannedPool]) -> list[Pool]:
    return list(Pool.objects.filter(code__in=[plan.code for plan in plans]))


def _all_in(plans: Iterable[PlannedPool], state: PoolState) -> Callable[[], bool]:
    codes = [plan.code for plan in plans]
    return lambda: not Pool.objects.filter(code__in=codes).exclude(state=state).exists()

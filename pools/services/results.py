"""Entering the result: two members of the commission, neither seeing what the other entered (¶10, ¶30, H1)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pools.locks import lock_pool
from pools.models import Commitment, Pool, PoolState, Protocol, ResultEntry
from pools.services.commission import only_member
from pools.services.protocols import draw_up_protocol
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.errors import EngineError
from totalizator.engine.result import VOID, Result, parse_result
from totalizator.engine.terms import Terms

KEYS = frozenset({"conditions", "event_void", "first_started_at"})
NOT_DRAWN_UP = {"number": "-", "digest": "sha256:-", "sealed_at": "2000-01-01T00:00:00Z"}
TO_THE_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class ResultProgress:
    """Where the entering stands after an entry.

    `differing`: what the two entries of this attempt do not agree on, condition codes in announced order and then
    `event_void`, `first_started_at`; what was entered is not told. `protocol`: drawn up, when they agree.
    """

    attempt: int
    entries: int
    differing: tuple[str, ...] = ()
    protocol: Protocol | None = None


def enter_result(*, code: str, member: User, result: Mapping[str, Any]) -> ResultProgress:
    """Enter what one member says the result is; the second entry that agrees draws up the protocol.

    `result`: `{"conditions": {"1": ["1"], "2": "void"}, "event_void": false, "first_started_at": "…Z"}`, the start to
    the second (H2). Entries that differ draw up nothing: both members enter again, as the next attempt.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission; WRONG_STATE before the bets are
        closed and sealed, and once a protocol stands; SAME_PERSON for a second entry in one attempt; BAD_VALUE.
    """
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        _refuse_untimely(pool)
        at = clock.now()
        text = _canonical_result(pool.terms, result, at)
        attempt, others = _attempt(pool)
        if any(entry.member_id == member.pk for entry in others):
            raise DomainError(Refusal.SAME_PERSON, _("You have entered the result; another member must do so too."))
        ResultEntry.objects.create(pool=pool, member=member, attempt=attempt, result_text=text, entered_at=at)
        write_journal(
            at=at,
            actor=member.actor,
            act="enter_result",
            subject=f"pool:{code}",
            after={"attempt": attempt, "result": digest(text.encode())},
        )
        if not others:
            return ResultProgress(attempt, entries=1)
        return _compare(pool, attempt, others[0].result_text, text, at)


def _refuse_untimely(pool: Pool) -> None:
    """The result is entered only when no bet can come and the bets are sealed (G4), and only once."""
    if pool.state != PoolState.CLOSED:
        raise DomainError(Refusal.WRONG_STATE, _("The result is entered after the pool has closed."), field="pool")
    if not Commitment.objects.filter(pool=pool).exists():
        raise DomainError(Refusal.WRONG_STATE, _("The pool's bets are not sealed yet."), field="pool")
    if pool.protocols.exists():
        raise DomainError(Refusal.WRONG_STATE, _("The protocol of this pool is drawn up."), field="pool")


def _canonical_result(terms: Terms, result: Mapping[str, Any], at: datetime) -> str:
    """Check an entry by the engine and return it in the one form that two like entries share."""
    unknown = sorted(set(result) - KEYS)
    if unknown:
        raise DomainError(Refusal.BAD_VALUE, _("There is no such field in a result."), field=unknown[0])
    try:
        parsed = parse_result(terms, {"protocol": NOT_DRAWN_UP, **result})
    except EngineError as fault:
        raise DomainError(Refusal.BAD_VALUE, str(fault), field=fault.where) from fault
    started = result.get("first_started_at")
    _refuse_impossible_start(started, at)
    canonical = {
        "conditions": _in_announced_order(terms, parsed),
        "event_void": parsed.event_void,
        "first_started_at": started,
    }
    return canonical_json(canonical).decode()


def _refuse_impossible_start(started: str | None, at: datetime) -> None:
    if started is None:
        return
    instant = parse_datetime(started) if TO_THE_SECOND.fullmatch(started) else None
    if instant is None:
        raise DomainError(
            Refusal.BAD_VALUE, _("Give the first start to the second: 2026-12-05T12:00:05Z."), field="first_started_at"
        )
    if instant > at:
        raise DomainError(Refusal.BAD_VALUE, _("The first start is still to come."), field="first_started_at")


def _in_announced_order(terms: Terms, result: Result) -> dict[str, str | list[str]]:
    return {
        condition.code: (
            [outcome.code for outcome in condition.outcomes if outcome.code in result.right[condition.code]]
            if condition.code in result.right
            else VOID
        )
        for condition in terms.conditions
    }


def _attempt(pool: Pool) -> tuple[int, Sequence[ResultEntry]]:
    """Return the attempt that an entry now belongs to, and the entries that it has already: none or one."""
    entries = list(pool.result_entries.order_by("attempt"))
    last = entries[-1].attempt if entries else 1
    others = [entry for entry in entries if entry.attempt == last]
    assert len(others) <= 2, f"pool {pool.code}: {len(others)} entries in attempt {last}"
    return (last + 1, []) if len(others) == 2 else (last, others)


def _compare(pool: Pool, attempt: int, first: str, second: str, at: datetime) -> ResultProgress:
    differing = _differing(pool.terms, first, second)
    if not differing:
        protocol = draw_up_protocol(pool, result=parse_json(first.encode(), where="result"), at=at)
        return ResultProgress(attempt, entries=2, protocol=protocol)
    write_journal(
        at=at,
        actor="pools",
        act="results_differ",
        subject=f"pool:{pool.code}",
        after={"attempt": attempt, "differing": list(differing)},
    )
    return ResultProgress(attempt, entries=2, differing=differing)


def _differing(terms: Terms, first: str, second: str) -> tuple[str, ...]:
    one, other = (parse_json(text.encode(), where="result") for text in (first, second))
    conditions = [
        condition.code
        for condition in terms.conditions
        if one["conditions"][condition.code] != other["conditions"][condition.code]
    ]
    return (*conditions, *(key for key in ("event_void", "first_started_at") if one[key] != other[key]))

"""Entering the result: two members of the commission, neither seeing what the other entered (¶10, ¶30, H1).

A clerical error is corrected the same way: two members enter the right result, and a next version is drawn up (H5).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import written
from pools.locks import lock_pool
from pools.models import Commitment, Pool, PoolState, Protocol, ResultEntry, Settlement
from pools.queries.corrections import can_be_corrected
from pools.services.commission import only_member
from pools.services.conflicts import in_conflict, refuse_conflict
from pools.services.evidence import named_evidence
from pools.services.protocols import draw_up_protocol
from pools.services.result_entries import differences, read_entry
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import digest


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


@dataclass(frozen=True, slots=True)
class _Correction:
    """Why a version is to be followed by another; `corrects` 0 and no words: it is a first result."""

    corrects: int = 0
    reason: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One member's entry, before it is written."""

    member: User
    result: Mapping[str, Any]
    evidence: Collection[int] | None
    attempt: int | None
    correction: _Correction = field(default_factory=_Correction)


def enter_result(
    *,
    code: str,
    member: User,
    result: Mapping[str, Any],
    evidence: Collection[int] | None = None,
    attempt: int | None = None,
) -> ResultProgress:
    """Enter what one member says the result is; the second entry that agrees draws up the protocol.

    `result`: `{"conditions": {"1": ["1"], "2": "void"}, "event_void": false, "first_started_at": "…Z",
    "void_reasons": {"2": "…"}}`, the start to the second (H2). Entries that differ draw up nothing: both members enter
    again, as the next attempt. `evidence`: the numbers of what it is known from, left out all that is filed (H4).
    `attempt`: the one that the member has the form of; if another one goes on by now, nothing is entered.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission; CONFLICT; WRONG_STATE before
        the bets are closed and sealed, once a protocol stands, and for an attempt that is over; SAME_PERSON for a
        second entry in one attempt; EVIDENCE_MISSING; BAD_VALUE.
    """
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        refuse_untimely(pool)
        return _enter(pool, _Entry(member, result, evidence, attempt))


def correct_result(
    *,
    code: str,
    member: User,
    result: Mapping[str, Any],
    reason: str,
    document: str,
    evidence: Collection[int] | None = None,
    attempt: int | None = None,
) -> ResultProgress:
    """Enter what the result should have been; the second entry that agrees draws up the next version (H5, I10).

    The version before stays as it is, and if it was not sealed it never will be. Settling waits meanwhile. Of a settled
    pool the version that it is settled by is corrected, once; nothing of it is paid until that is done or given up.

    :raises DomainError: as `enter_result`; WRONG_STATE without a protocol, while a settlement is calculated and not
        official, and once it was corrected; BAD_VALUE without a reason and a document, and for what the protocol says
        already.
    """
    reason = written(reason, field="reason", most=500)
    document = written(document, field="document")
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, member)
        corrected = version_to_correct(pool)
        return _enter(pool, _Entry(member, result, evidence, attempt, _Correction(corrected, reason, document)))


def attempt_of(pool: Pool) -> tuple[int, Sequence[ResultEntry]]:
    """Return the attempt that the next entry belongs to, and the entries that it has already: none or one.

    An attempt with the entry of a member who has declared a conflict since is over.
    """
    entries = list(pool.result_entries.order_by("attempt"))
    last = entries[-1].attempt if entries else 1
    others = [entry for entry in entries if entry.attempt == last]
    assert len(others) <= 2, f"pool {pool.code}: {len(others)} entries in attempt {last}"
    if len(others) == 2 or in_conflict(pool) & {entry.member_id for entry in others}:
        return last + 1, []
    return last, others


def version_to_correct(pool: Pool) -> int:
    """Return the version that a correction would correct; :raises DomainError: WRONG_STATE when none can be."""
    standing = pool.protocols.order_by("-version").first()
    if standing is None or pool.state not in (PoolState.CLOSED, PoolState.RESULTED, PoolState.SETTLED):
        raise DomainError(Refusal.WRONG_STATE, _("There is no protocol to be corrected."), state=pool.state)
    settlement = Settlement.objects.filter(pool=pool).first()
    if settlement is None:
        return standing.version
    if pool.state != PoolState.SETTLED:
        raise DomainError(Refusal.WRONG_STATE, _("The settlement by this protocol is calculated."), field="pool")
    if not can_be_corrected(pool):
        raise DomainError(Refusal.WRONG_STATE, _("A settlement is corrected only once."), field="pool")
    return settlement.version


def refuse_untimely(pool: Pool) -> None:
    """Let the result be entered only when no bet can come and the bets are sealed (G4), and only once.

    :raises DomainError: WRONG_STATE.
    """
    if pool.state != PoolState.CLOSED:
        raise DomainError(Refusal.WRONG_STATE, _("The result is entered after the pool has closed."), field="pool")
    if not Commitment.objects.filter(pool=pool).exists():
        raise DomainError(Refusal.WRONG_STATE, _("The pool's bets are not sealed yet."), field="pool")
    if pool.protocols.exists():
        raise DomainError(Refusal.WRONG_STATE, _("The protocol of this pool is drawn up."), field="pool")


def _enter(pool: Pool, entry: _Entry) -> ResultProgress:
    refuse_conflict(pool, entry.member)
    at = clock.now()
    read = read_entry(pool.terms, entry.result, at)
    known_from = named_evidence(pool, entry.evidence, [condition.code for condition in pool.terms.conditions])
    attempt, others = attempt_of(pool)
    _refuse_stale(entry.attempt, attempt)
    if any(other.member_id == entry.member.pk for other in others):
        raise DomainError(Refusal.SAME_PERSON, _("You have entered the result; another member must do so too."))
    if entry.correction.corrects:
        _refuse_unchanged(pool, entry.correction.corrects, read.text)
    written_entry = ResultEntry.objects.create(
        pool=pool,
        member=entry.member,
        attempt=attempt,
        result_text=read.text,
        void_reasons=dict(read.void_reasons),
        evidence=[evidence.pk for evidence in known_from],
        corrects=entry.correction.corrects,
        reason=entry.correction.reason,
        document=entry.correction.document,
        entered_at=at,
    )
    facts = {"attempt": attempt, "result": digest(read.text.encode()), "evidence": written_entry.evidence}
    facts |= {"void_reasons": written_entry.void_reasons} if written_entry.void_reasons else {}
    facts |= {"corrects": written_entry.corrects, "document": written_entry.document} if written_entry.corrects else {}
    write_journal(
        at=at,
        actor=entry.member.actor,
        act="correct_result" if written_entry.corrects else "enter_result",
        subject=f"pool:{pool.code}",
        reason=written_entry.reason,
        after=facts,
    )
    return _compare(pool, [*others, written_entry], at) if others else ResultProgress(attempt, entries=1)


def _refuse_unchanged(pool: Pool, version: int, text: str) -> None:
    """A correction says something else; what one member found wrong in the other's conflict may stay as it was."""
    standing = pool.protocols.get(version=version)
    entries = ResultEntry.objects.filter(pool=pool, attempt=standing.attempt)
    doubtful = in_conflict(pool) & set(entries.values_list("member_id", flat=True))
    doubtful = doubtful if pool.state != PoolState.SETTLED else frozenset()  # nothing but an error is corrected then
    if not doubtful and entries.filter(result_text=text).exists():
        raise DomainError(Refusal.BAD_VALUE, _("The correction says what the protocol says."), field="conditions")


def _refuse_stale(named: int | None, attempt: int) -> None:
    """A form of an earlier attempt was filled in without knowing what became of that one."""
    if named is not None and named != attempt:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("This form was opened for an earlier attempt, now over. Nothing is entered: look, then enter again."),
            attempt=attempt,
        )


def _compare(pool: Pool, entries: Sequence[ResultEntry], at: datetime) -> ResultProgress:
    attempt = entries[0].attempt
    differing = differences(pool.terms, *(entry.result_text for entry in entries))
    if not differing:
        return ResultProgress(attempt, entries=2, protocol=draw_up_protocol(pool, entries, at=at))
    places = tuple(difference.place for difference in differing)
    write_journal(
        at=at,
        actor="pools",
        act="results_differ",
        subject=f"pool:{pool.code}",
        after={"attempt": attempt, "differing": list(places)},
    )
    return ResultProgress(attempt, entries=2, differing=places)

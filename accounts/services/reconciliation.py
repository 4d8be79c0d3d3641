"""A day of a payment system's file against our own rows: what does not agree goes into the queue (F1).

The file has lines of `reference;kind;outcome;amount;currency`: what came to an end on a legal day, kind `deposit`,
`payout` or `refund`, outcome `done` or `failed`, the amount in minor units. What an earlier day left open and this one
shows is closed by itself.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import (
    Currency,
    DepositReturn,
    DepositState,
    Mismatch,
    ProviderDeposit,
    ReturnState,
    UnmatchedItem,
    Withdrawal,
    WithdrawalState,
)
from accounts.services.disagreements import told
from accounts.services.providers.interface import NotAnswered
from accounts.services.providers.known import find_provider
from accounts.services.unmatched import close_agreeing, note_unmatched, was_decided
from totalizator.core import clock
from totalizator.core.csv_text import csv_rows
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import end_of_legal_day, legal_day, start_of_legal_day

HEADER = ["reference", "kind", "outcome", "amount", "currency"]
_AMOUNT = re.compile(r"[1-9]\d{0,14}", re.ASCII)
_REFERENCE = {
    "deposit": re.compile(r"D-([1-9]\d{0,17})", re.ASCII),
    "payout": re.compile(r"W-([1-9]\d{0,17})", re.ASCII),
    "refund": re.compile(r"R-([1-9]\d{0,17})", re.ASCII),
}
# What our state is called in a file.
_OUTCOMES: Mapping[str, str] = {
    DepositState.SETTLED: "done",
    WithdrawalState.CONFIRMED: "done",
    DepositState.FAILED: "failed",
    DepositState.HELD: "done",  # the money came, whatever became of it here
    DepositState.RETURNED: "done",
    ReturnState.DONE: "done",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A payment that came to an end, as one side knows it."""

    reference: str
    kind: str
    outcome: str
    amount: int
    currency: str

    def __str__(self) -> str:
        return told(self.outcome, self.amount, self.currency)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """How many lines the file has, how many new items the queue; the numbers of unreadable lines."""

    lines: int
    new: int
    faults: tuple[int, ...]


def reconcile_provider(*, provider: str, day: date, text: str, actor: str) -> Reconciled:
    """Compare the file of a legal day with what came to an end here on it.

    :raises DomainError: NOT_FOUND; BAD_VALUE for another header, or a day that is not over; nothing was done.
    """
    find_provider(provider)
    theirs, faults = _read(text)
    missing = [line for line in _ended_on(provider, day) if line.reference not in theirs]
    unknown_there = [line for line in missing if not _known_there(provider, line)]
    with one_transaction():
        at = clock.now()
        if day >= legal_day(at):
            raise DomainError(Refusal.BAD_VALUE, _("This day is not over yet."), field="day")
        before = _open(provider)
        ours = {(line.reference, line.kind): line for line in _ours(provider, list(theirs))}
        for line in theirs.values():
            _compare(provider, ours.get((line.reference, line.kind)), line, at)
        for line in unknown_there:
            _note(provider, Mismatch.UNKNOWN_THERE, line, None, at)
        done = Reconciled(len(theirs), len(_open(provider) - before), tuple(faults))
        write_journal(
            at=at,
            actor=actor,
            act="reconcile_provider",
            subject=_subject(provider, day),
            after={"lines": done.lines, "new": done.new, "faults": list(faults)},
        )
    return done


def reconcile_yesterday(*, provider: str, actor: str) -> Reconciled | None:
    """Fetch and compare the file of the legal day before this one, once; None when that was done, or it is not there.

    :raises DomainError: NOT_FOUND.
    """
    day = legal_day(clock.now()) - timedelta(days=1)
    if JournalRecord.objects.filter(subject=_subject(provider, day), act="reconcile_provider").exists():
        return None
    try:
        text = find_provider(provider).statement_of(day)
    except NotAnswered:
        return None
    return reconcile_provider(provider=provider, day=day, text=text, actor=actor)


def _known_there(provider: str, line: Line) -> bool:
    """Ask about what ended here and is not in their file: at midnight it may have ended there on another day."""
    try:
        standing = find_provider(provider).status_of(line.reference)
    except NotAnswered:
        return False
    known = None if standing is None else (standing.outcome, standing.amount, standing.currency)
    return known == (line.outcome, line.amount, line.currency)


def _compare(provider: str, ours: Line | None, theirs: Line, at: datetime) -> None:
    if ours is None:
        _note(provider, Mismatch.UNKNOWN_HERE, None, theirs, at)
    elif (ours.amount, ours.currency) != (theirs.amount, theirs.currency):
        _note(provider, Mismatch.AMOUNT, ours, theirs, at)
    elif ours.outcome != theirs.outcome:
        _note(provider, Mismatch.STATE, ours, theirs, at)
    else:
        close_agreeing(provider=provider, reference=theirs.reference, at=at)


def _note(provider: str, mismatch: Mismatch, ours: Line | None, theirs: Line | None, at: datetime) -> None:
    line = theirs or ours
    assert line is not None
    sides = {"ours": str(ours or ""), "theirs": str(theirs or "")}
    if not was_decided(provider=provider, reference=line.reference, mismatch=mismatch, **sides):
        note_unmatched(provider=provider, reference=line.reference, mismatch=mismatch, at=at, **sides)


def _open(provider: str) -> set[int]:
    return set(UnmatchedItem.objects.filter(provider=provider, closed_at__isnull=True).values_list("pk", flat=True))


def _ours(provider: str, references: list[str]) -> Iterator[Line]:
    """Yield what we know of these references, whatever its state."""
    numbers: dict[str, list[int]] = {kind: [] for kind in _REFERENCE}
    for reference in references:
        for kind, form in _REFERENCE.items():
            if found := form.fullmatch(reference):
                numbers[kind].append(int(found[1]))
    deposits = ProviderDeposit.objects.select_related("held")
    for deposit in deposits.filter(provider=provider, pk__in=numbers["deposit"]):
        yield _deposit_line(deposit)
    for withdrawal in Withdrawal.objects.filter(instrument__provider=provider, pk__in=numbers["payout"]):
        yield _payout_line(withdrawal)
    for back in _returns(provider).filter(pk__in=numbers["refund"]):
        yield _refund_line(back)


def _ended_on(provider: str, day: date) -> Iterator[Line]:
    """Yield what was credited or held, confirmed, or given back here on the legal day."""
    hours = (start_of_legal_day(day), end_of_legal_day(day))
    came = Q(held__isnull=True, settled_at__gte=hours[0], settled_at__lt=hours[1])
    came |= Q(held__held_at__gte=hours[0], held__held_at__lt=hours[1])
    for deposit in ProviderDeposit.objects.select_related("held").filter(came, provider=provider):
        yield _deposit_line(deposit)
    payouts = Withdrawal.objects.filter(
        instrument__provider=provider,
        state=WithdrawalState.CONFIRMED,
        moved_at__gte=hours[0],
        moved_at__lt=hours[1],
    )
    for withdrawal in payouts:
        yield _payout_line(withdrawal)
    given_back = _returns(provider).filter(state=ReturnState.DONE)
    for back in given_back.filter(moved_at__gte=hours[0], moved_at__lt=hours[1]):
        yield _refund_line(back)


def _returns(provider: str) -> QuerySet[DepositReturn]:
    """Return what the payment system was asked to give back."""
    return DepositReturn.objects.select_related("held").filter(held__deposit__provider=provider, document="")


def _refund_line(back: DepositReturn) -> Line:
    outcome = _OUTCOMES.get(back.state, back.state)
    return Line(back.reference, "refund", outcome, back.held.taken, back.held.currency)


def _deposit_line(deposit: ProviderDeposit) -> Line:
    outcome = _OUTCOMES.get(deposit.state, deposit.state)
    if hasattr(deposit, "held"):
        return Line(deposit.reference, "deposit", outcome, deposit.held.taken, deposit.held.currency)
    return Line(deposit.reference, "deposit", outcome, deposit.amount, deposit.currency)


def _payout_line(withdrawal: Withdrawal) -> Line:
    outcome = _OUTCOMES.get(withdrawal.state, withdrawal.state)
    return Line(withdrawal.reference, "payout", outcome, withdrawal.amount, Currency.BYN)


def _read(text: str) -> tuple[dict[str, Line], list[int]]:
    rows = csv_rows(text)
    if [cell.strip() for cell in next(rows, (0, []))[1]] != HEADER:
        raise DomainError(
            Refusal.BAD_VALUE, _("The first line must be %(header)s.") % {"header": ";".join(HEADER)}, field="file"
        )
    lines: dict[str, Line] = {}
    faults = []
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        line = _read_line([cell.strip() for cell in row])
        if line is None or line.reference in lines:
            faults.append(number)
        else:
            lines[line.reference] = line
    return lines, faults


def _read_line(cells: list[str]) -> Line | None:
    if len(cells) != len(HEADER):
        return None
    reference, kind, outcome, amount, currency = cells
    readable = (
        0 < len(reference) <= 80
        and reference.isprintable()
        and kind in _REFERENCE
        and outcome in ("done", "failed")
        and _AMOUNT.fullmatch(amount)
        and currency in Currency
    )
    return Line(reference, kind, outcome, int(amount), currency) if readable else None


def _subject(provider: str, day: date) -> str:
    return f"provider:{provider}:{day.isoformat()}"

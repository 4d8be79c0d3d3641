"""Finding operations that look split up to stay below the threshold: cash at a point, deposits onto an account (Q2)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from accounts.models import AmlCase, CaseKind, CaseState
from accounts.queries.operations import Operation, Read, cash_operations, deposits, episodes
from accounts.services.cases import add_evidence, operations_of, raise_case
from totalizator.core.legal import legal_numbers


def find_split_cash(*, since: datetime, until: datetime, actor: str) -> int:
    """Raise a case for many operations just below the threshold at one point; return how many cases are new."""
    numbers = legal_numbers(until)
    near = numbers["aml_identify_from"] * numbers["aml_near_threshold"]
    least = -(-near.numerator // near.denominator)
    return _find(CaseKind.CASH_SPLIT, cash_operations, least, 0, since, until, actor)


def find_split_deposits(*, since: datetime, until: datetime, actor: str) -> int:
    """Raise a case for many deposits onto one account that reach the threshold together; return how many are new."""
    threshold = int(legal_numbers(until)["aml_identify_from"])
    return _find(CaseKind.DEPOSITS_SPLIT, deposits, 1, threshold, since, until, actor)


def _find(kind: CaseKind, read: Read, least: int, least_sum: int, since: datetime, until: datetime, actor: str) -> int:
    numbers = legal_numbers(until)
    threshold, count = int(numbers["aml_identify_from"]), int(numbers["aml_split_count"])
    window = timedelta(minutes=int(numbers["aml_window_minutes"]))
    rule = {
        "threshold": threshold,
        "from": least,
        "count": count,
        "window_minutes": int(numbers["aml_window_minutes"]),
        "sum": least_sum,
    }
    raised = 0
    # What began before `since` may go on after it.
    found = read(since=since - window, until=until, least=least, below=threshold)
    for subject, operations in found.items():
        known = list(AmlCase.objects.filter(kind=kind, subject=subject, last_at__gte=since - 2 * window))
        fresh = _not_dealt_with(operations, known)
        for episode in episodes(fresh, window=window, count=count, least_sum=least_sum):
            raised += _raise_or_extend(kind, subject, episode, known, rule, actor)
    return raised


def _not_dealt_with(operations: Sequence[Operation], known: Sequence[AmlCase]) -> Sequence[Operation]:
    """Leave out what is the evidence of a case that somebody has looked at."""
    cited = {operation.reference for case in known if case.state != CaseState.OPEN for operation in operations_of(case)}
    return [operation for operation in operations if operation.reference not in cited]


def _raise_or_extend(
    kind: CaseKind,
    subject: str,
    episode: Sequence[Operation],
    known: Sequence[AmlCase],
    rule: Mapping[str, Any],
    actor: str,
) -> bool:
    references = {operation.reference for operation in episode}
    for case in known:
        cited = {operation.reference for operation in operations_of(case)}
        if case.state == CaseState.OPEN and cited & references:
            new = [operation for operation in episode if operation.reference not in cited]
            if new:
                add_evidence(case=case, operations=new, actor=actor)
            return False
    raise_case(kind=kind, subject=subject, operations=episode, rule=rule, actor=actor)
    return True

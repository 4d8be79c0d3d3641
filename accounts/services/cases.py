"""Cases of suspicion: raised with their evidence, reviewed by one person, reported or closed by another (Q1, Q2).

A case never blocks anything, and nobody at a desk learns of it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import AmlCase, CaseKind, CaseState, NumberedDocument, NumberedKind, User
from accounts.models.aml import move_case
from accounts.queries.operations import Operation
from accounts.services.document_numbers import issue_document
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_MOST = 4_000


def raise_case(
    *,
    kind: CaseKind,
    subject: str,
    operations: Sequence[Operation],
    rule: Mapping[str, Any],
    actor: str,
    people: Mapping[str, str] | None = None,
) -> AmlCase:
    """Raise a case about `subject`; `rule` is what the operations were held to, `people` are tokens of persons."""
    with one_transaction():
        at = clock.now()
        case = AmlCase.objects.create(
            kind=kind,
            subject=subject,
            evidence={**_told(operations), "rule": dict(rule), "people": dict(people or {})},
            last_at=max(operation.at for operation in operations),
            raised_at=at,
        )
        _journal(case, "raise_case", actor, at, after={"kind": str(kind), "operations": len(operations)})
    return case


def add_evidence(*, case: AmlCase, operations: Sequence[Operation], actor: str) -> None:
    """Add operations that belong to an open case.

    :raises DomainError: WRONG_STATE when somebody has reviewed it meanwhile.
    """
    every = sorted([*operations_of(case), *operations], key=lambda operation: operation.at)
    evidence = {**case.evidence, **_told(every)}
    with one_transaction():
        found = AmlCase.objects.filter(pk=case.pk, state=CaseState.OPEN)
        if not found.update(evidence=evidence, last_at=every[-1].at):
            raise DomainError(Refusal.WRONG_STATE, _("The case has been reviewed."))
        case.evidence, case.last_at = evidence, every[-1].at
        _journal(case, "add_evidence", actor, clock.now(), after={"operations": len(every)})


def operations_of(case: AmlCase) -> list[Operation]:
    """Return the operations that a case is about, the oldest first."""
    return [
        Operation(told["reference"], datetime.fromisoformat(told["at"]), told["amount"])
        for told in case.evidence["operations"]
    ]


def review_case(*, case: AmlCase, opinion: str, reviewed_by: User) -> AmlCase:
    """Give a first person's opinion of an open case.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without an opinion; WRONG_STATE.
    """
    refuse_all_but_staff(reviewed_by)
    opinion = written(opinion, field="opinion", most=_MOST)
    with one_transaction():
        at = clock.now()
        move_case(case, CaseState.REVIEWED, reviewed_by=reviewed_by, reviewed_at=at, opinion=opinion)
        _journal(case, "review_case", reviewed_by.actor, at, reason=opinion)
    return case


def close_case(*, case: AmlCase, decision: str, decided_by: User) -> AmlCase:
    """Close a reviewed case as nothing suspicious, by a second person.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a decision; SAME_PERSON; WRONG_STATE.
    """
    with one_transaction():
        _decide(case, CaseState.CLOSED, decision, decided_by)
    return case


def report_case(*, case: AmlCase, decision: str, decided_by: User) -> NumberedDocument:
    """Report a reviewed case to the authority, by a second person; return the report's number.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a decision; SAME_PERSON; WRONG_STATE.
    """
    with one_transaction():
        _decide(case, CaseState.REPORTED, decision, decided_by)
        report, _new = issue_document(
            kind=NumberedKind.SUSPICION,
            subject=case.journal_subject,
            facts={"case": case.pk, "kind": str(case.kind), "subject": case.subject, "evidence": case.evidence},
            actor=decided_by.actor,
        )
    return report


def _decide(case: AmlCase, to: CaseState, decision: str, decided_by: User) -> None:
    refuse_all_but_staff(decided_by)
    decision = written(decision, field="decision", most=_MOST)
    if case.reviewed_by_id == decided_by.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Another person must decide."))
    at = clock.now()
    move_case(case, to, decided_by=decided_by, decided_at=at, decision=decision)
    _journal(case, f"case_{to}", decided_by.actor, at, reason=decision)


def _told(operations: Sequence[Operation]) -> dict[str, Any]:
    return {
        "operations": [
            {"reference": operation.reference, "at": operation.at.isoformat(), "amount": operation.amount}
            for operation in operations
        ],
        "sum": sum(operation.amount for operation in operations),
    }


def _journal(
    case: AmlCase, act: str, actor: str, at: datetime, *, reason: str = "", after: dict[str, Any] | None = None
) -> None:
    write_journal(
        at=at,
        actor=actor,
        act=act,
        subject=case.journal_subject,
        reason=reason,
        after=after if after is not None else {"state": str(case.state)},
    )

"""Looking for what is suspicious, again and again: each look begins where the last one ended (Q2)."""

from datetime import UTC, datetime, timedelta

from accounts.models import AmlCase, CaseKind, CaseState
from accounts.services.cases import add_evidence, operations_of, raise_case
from accounts.services.splitting import find_split_cash, find_split_deposits
from pools.queries.card_hands import ChangedHands, changed_hands
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord

ACTOR = "task:look_for_suspicions"
_SUBJECT = "suspicions"
_MARGIN = timedelta(hours=1)  # what was being written during the last look


def look_for_suspicions() -> int:
    """Raise a case for whatever looks suspicious since the last look, and return how many are new; it blocks nothing.

    Looking twice at the same operations raises nothing twice.
    """
    until = clock.now()
    since = _last_look() - _MARGIN
    raised = find_split_cash(since=since, until=until, actor=ACTOR)
    raised += find_split_deposits(since=since, until=until, actor=ACTOR)
    raised += sum(_note(use) for use in changed_hands(since=since, until=until))
    write_journal(at=until, actor=ACTOR, act="look_for_suspicions", subject=_SUBJECT, after={"raised": raised})
    return raised


def _last_look() -> datetime:
    last = JournalRecord.objects.filter(subject=_SUBJECT, act="look_for_suspicions").order_by("-id").first()
    return last.at if last is not None else datetime(2000, 1, 1, tzinfo=UTC)


def _note(use: ChangedHands) -> bool:
    """Raise a case for a card, or add the use to the card's open one; return whether it is a new case."""
    subject, case_of_card = f"card:{use.card}", None
    for case in AmlCase.objects.filter(kind=CaseKind.CARD_CHANGED_HANDS, subject=subject):
        if use.use.reference in {operation.reference for operation in operations_of(case)}:
            return False
        if case.state == CaseState.OPEN:
            case_of_card = case
    if case_of_card is not None:
        add_evidence(case=case_of_card, operations=[use.use], actor=ACTOR)
        return False
    people = {"buyer": f"person:{use.buyer}", "user": f"person:{use.user}"}
    raise_case(
        kind=CaseKind.CARD_CHANGED_HANDS, subject=subject, operations=[use.use], rule={}, actor=ACTOR, people=people
    )
    return True

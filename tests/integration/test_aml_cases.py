"""Cases of suspicion: two people, a numbered form, and terms for which everything is kept (Q1)."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pypdfium2
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.utils import translation

from accounts.models import (
    CASE_MOVES,
    AmlCase,
    CaseKind,
    CaseState,
    Person,
)
from accounts.models.aml import move_case
from accounts.queries.operations import Operation
from accounts.services.cases import close_case, raise_case, report_case, review_case
from accounts.services.retention import Kept, allow_purge
from accounts.services.suspicion_forms import print_suspicion_form
from tests.making import (
    make_organizers,
    make_player,
    make_user,
)
from tests.paying import go_to
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
THRESHOLD = 100_000


def a_case(subject: str = "point:P1", people: dict[str, str] | None = None) -> AmlCase:
    operations = [Operation(f"stake:T-{n}", clock.now() + timedelta(minutes=n), 99_000) for n in range(5)]
    rule = {"threshold": THRESHOLD, "count": 5, "window_minutes": 60}
    return raise_case(
        kind=CaseKind.CASH_SPLIT, subject=subject, operations=operations, rule=rule, actor="test", people=people
    )


def test_q1_a_case_is_reviewed_by_one_and_reported_by_another_with_a_numbered_form() -> None:
    (one, other), player = make_organizers(), make_player()
    person = Person.objects.get(player=player)
    case = review_case(case=a_case(people={"user": person.subject}), opinion="Split up", reviewed_by=one)
    assert refused(partial(report_case, case=case, decision="Yes", decided_by=one)).code == Refusal.SAME_PERSON
    report = report_case(case=case, decision="Report it", decided_by=other)
    with translation.override("en"):
        content = print_suspicion_form(case=AmlCase.objects.get(), asked_by=one)
        assert content == print_suspicion_form(case=AmlCase.objects.get(), asked_by=one)
    text = "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content))
    wanted = [
        f"Report No. 1/{clock.today().year}",
        "point:P1",
        "BYN 4,950.00",
        "stake:T-0",
        f"Name {player.pk}",
        f"TEST{player.pk:06}",
        "1990-05-31",
        "Split up",
        "Report it",
        one.username,
        other.username,
    ]
    assert [words for words in wanted if words not in text] == []
    assert f"Name {player.pk}" not in report.text
    assert JournalRecord.objects.filter(act="print_report").count() == 2


def test_a_case_without_anything_suspicious_is_closed_and_has_no_form() -> None:
    one, other = make_organizers()
    case = review_case(case=a_case(), opinion="A wedding", reviewed_by=one)
    close_case(case=case, decision="Agreed", decided_by=other)
    assert AmlCase.objects.get().state == CaseState.CLOSED
    assert refused(lambda: print_suspicion_form(case=case, asked_by=one)).code == Refusal.NOT_FOUND


def test_only_staff_see_and_decide_cases() -> None:
    from accounts.models import Role

    case = a_case()
    for somebody_else in (make_player(), make_user(Role.CASHIER), make_user(Role.COMMISSION)):
        for act in (
            partial(review_case, case=case, opinion="x", reviewed_by=somebody_else),
            partial(report_case, case=case, decision="x", decided_by=somebody_else),
            partial(print_suspicion_form, case=case, asked_by=somebody_else),
        ):
            assert refused(act).code == Refusal.NOT_ALLOWED


@pytest.mark.parametrize("came_from", CaseState)
@pytest.mark.parametrize("to", CaseState)
def test_a_case_moves_as_the_table_says_and_no_other_way(came_from: CaseState, to: CaseState) -> None:
    one, other = make_organizers()
    case = a_case()
    if came_from != CaseState.OPEN:
        review_case(case=case, opinion="x", reviewed_by=one)
    if came_from in (CaseState.REPORTED, CaseState.CLOSED):
        {CaseState.REPORTED: report_case, CaseState.CLOSED: close_case}[came_from](
            case=case, decision="y", decided_by=other
        )
    people = {"reviewed_by": one} if to == CaseState.REVIEWED else {"decided_by": other}
    if to in CASE_MOVES[came_from]:
        move_case(case, to, **people)
        assert AmlCase.objects.get().state == to
    else:
        assert refused(partial(move_case, case, to, **people)).code == Refusal.WRONG_STATE


def test_the_evidence_of_a_reviewed_case_cannot_be_changed_even_in_the_database() -> None:
    one, _other = make_organizers()
    case = review_case(case=a_case(), opinion="x", reviewed_by=one)
    for change in (
        lambda: AmlCase.objects.filter(pk=case.pk).update(evidence={}),
        lambda: AmlCase.objects.filter(pk=case.pk).update(subject="point:P2"),
        lambda: AmlCase.objects.filter(pk=case.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_q1_a_purge_of_what_is_too_young_is_refused_on_the_record_and_nothing_goes() -> None:
    staff, _other = make_organizers()
    go_to(datetime(2030, 2, 28, 12, tzinfo=UTC))
    records = JournalRecord.objects.count()
    from totalizator.core.errors import DomainError

    with pytest.raises(DomainError) as caught:
        allow_purge(kept=Kept.AML, before=datetime(2025, 3, 1, tzinfo=UTC).date(), asked_by=staff)
    assert (caught.value.code, str(caught.value.details["kept_from"])) == (Refusal.KEPT_BY_LAW, "2025-02-28")
    stays = allow_purge(kept=Kept.AML, before=datetime(2025, 2, 28, tzinfo=UTC).date(), asked_by=staff)
    assert str(stays) == "2025-02-28"
    asked = JournalRecord.objects.filter(subject="retention:aml").order_by("pk").values_list("act", "actor")
    assert list(asked) == [("refuse_purge", staff.actor), ("allow_purge", staff.actor)]
    assert JournalRecord.objects.count() == records + 2
    with pytest.raises(CommandError):
        call_command("check_purge", "ledger", "2029-01-01", by=staff.username)


@pytest.mark.parametrize("kept", Kept)
def test_every_kind_of_record_has_a_term(kept: Kept) -> None:
    staff, _other = make_organizers()
    stays = allow_purge(kept=kept, before=datetime(2001, 1, 1, tzinfo=UTC).date(), asked_by=staff)
    assert clock.today() - stays >= timedelta(days=60 if kept == Kept.VIDEO else 5 * 365)

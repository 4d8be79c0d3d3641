"""Cases of suspicion: reviewed by one person, closed or reported by another (Q1, Q2)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import found, name_of
from accounts.models import AmlCase, CaseKind, CaseState, User
from accounts.services.cases import close_case, operations_of, report_case, review_case
from accounts.services.suspicion_forms import print_suspicion_form
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: suspicions"


class CaseQuery(PageQuery):
    """Which of them: those that are open, unless told."""

    state = serializers.ChoiceField(CaseState.choices, required=False)


class OpinionBody(Body):
    """What the first person thinks of it."""

    opinion = Text(max_length=4_000)


class CaseDecisionBody(Body):
    """What the second person decides, and why."""

    decision = Text(max_length=4_000)


class CaseOperation(serializers.Serializer[None]):
    """One of the operations, by the key of its transfer."""

    reference = serializers.CharField()
    at = Moment()
    amount = Byn()


class CaseDocument(serializers.Serializer[None]):
    """A case. Who the persons are, only the report of a reported one says."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(CaseKind.choices)
    subject = serializers.CharField(help_text="`point:P1`, `game_account:17`, `card:000000123457`.")
    state = serializers.ChoiceField(CaseState.choices)
    raised_at = Moment()
    operations = CaseOperation(many=True)
    reviewed_by = serializers.CharField(allow_null=True)
    reviewed_at = Moment(allow_null=True)
    opinion = serializers.CharField(allow_blank=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = Moment(allow_null=True)
    decision = serializers.CharField(allow_blank=True)


def _cases() -> QuerySet[AmlCase]:
    return AmlCase.objects.select_related("reviewed_by", "decided_by")


def _review(staff: User, told: Told, number: int) -> Written:
    return _written(review_case(case=found(_cases(), pk=number), opinion=told["opinion"], reviewed_by=staff))


def _close(staff: User, told: Told, number: int) -> Written:
    return _written(close_case(case=found(_cases(), pk=number), decision=told["decision"], decided_by=staff))


def _report(staff: User, told: Told, number: int) -> Written:
    report_case(case=found(_cases(), pk=number), decision=told["decision"], decided_by=staff)
    return _written(found(_cases(), pk=number))


def _form(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    content = print_suspicion_form(case=found(_cases(), pk=number), asked_by=staff)
    return GivenFile(f"suspicion-{number}.pdf", content)


def _written(case: AmlCase) -> Written:
    return {
        "number": case.pk,
        "kind": case.kind,
        "subject": case.subject,
        "state": case.state,
        "raised_at": instant(case.raised_at),
        "operations": [
            {"reference": each.reference, "at": instant(each.at), "amount": plain_byn(each.amount)}
            for each in operations_of(case)
        ],
        "reviewed_by": name_of(case.reviewed_by),
        "reviewed_at": instant_or_none(case.reviewed_at),
        "opinion": case.opinion,
        "decided_by": name_of(case.decided_by),
        "decided_at": instant_or_none(case.decided_at),
        "decision": case.decision,
    }


_OF_ONE: dict[str, Any] = {"tag": TAG, "answer": CaseDocument, "status": 200}
_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="cases",
        name="staff_cases",
        summary="Cases of suspicion that are open, or of another state, from the oldest",
        tag=TAG,
        rows_name="cases",
        row=CaseDocument,
        rows=lambda query: _cases().filter(state=query.get("state", CaseState.OPEN)),
        write=_written,
        query=CaseQuery,
        ordering=("raised_at", "pk"),
    ),
    Act(
        path="cases/<int:number>/review",
        name="staff_case_review",
        summary="Give a first opinion of an open case",
        body=OpinionBody,
        do=_review,
        refused=_UNFIT,
        **_OF_ONE,
    ),
    Act(
        path="cases/<int:number>/closing",
        name="staff_case_close",
        summary="Close a reviewed case as nothing suspicious, by another person",
        body=CaseDecisionBody,
        do=_close,
        refused=(*_UNFIT, Refusal.SAME_PERSON),
        **_OF_ONE,
    ),
    Act(
        path="cases/<int:number>/report",
        name="staff_case_report",
        summary="Report a reviewed case to the authority, by another person",
        body=CaseDecisionBody,
        do=_report,
        refused=(*_UNFIT, Refusal.SAME_PERSON),
        **_OF_ONE,
    ),
    Download(
        path="cases/<int:number>/form",
        name="staff_case_form",
        summary="The report of a reported case, with the persons; who asks is journalled",
        tag=TAG,
        media_types=("application/pdf",),
        read=_form,
    ),
)

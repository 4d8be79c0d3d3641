"""The organizer's pages of cases of suspicion: one person reviews, another reports or closes (Q1, Q2).

No player and nobody at a desk ever sees anything of them.
"""

from dataclasses import dataclass
from functools import partial

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.vigilance import CaseDecisionForm, OpinionForm
from accounts.models import AmlCase, CaseState, GameAccount, NumberedDocument, NumberedKind, User
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.operations_told import operations_told
from accounts.services.cases import close_case, operations_of, report_case, review_case
from accounts.services.suspicion_forms import rule_told
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of

CASES_A_PAGE = 50
WAITING = (CaseState.OPEN, CaseState.REVIEWED)


@dataclass(frozen=True, slots=True)
class CaseSubject:
    """What a case is about, as people read it, and the game account, if it is one."""

    words: str
    account: GameAccount | None = None


@organizer_only
def cases(request: PersonRequest) -> HttpResponseBase:
    """List the cases that wait for somebody, or those of a state, from the oldest."""
    state = request.GET.get("state", "")
    rows = AmlCase.objects.select_related("reviewed_by", "decided_by").order_by("raised_at", "pk")
    rows = rows.filter(state=state) if state in CaseState.values else rows.filter(state__in=WAITING)
    page = page_of(request, rows, CASES_A_PAGE)
    subjects = _subjects(list(page))
    context = {
        "page": page,
        "shown": [(case, CaseState(case.state), subjects[case.subject], case.evidence["sum"]) for case in page],
        "states": CaseState.choices,
        "chosen": state,
    }
    return render(request, "organizer/cases.html", context)


@organizer_only
def case(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a case with its evidence, and take the first person's opinion or the second person's decision."""
    case = get_object_or_404(AmlCase.objects.select_related("reviewed_by", "decided_by"), pk=number)
    form = _form(request, case)
    act = partial(_give_opinion, case, request.user) if isinstance(form, OpinionForm) else None
    if form is not None and done_by_form(form, act or partial(_decide, case, request.user)):
        messages.success(request, _("It is noted."))
        return redirect("accounts:case", number=number)
    operations = operations_of(case)
    told = operations_told(operation.reference for operation in operations)
    context = {
        "case": case,
        "subject": _subjects([case])[case.subject],
        "form": form,
        "operations": [(told[operation.reference], operation) for operation in operations],
        "sum": case.evidence["sum"],
        "rule": rule_told(case.evidence["rule"]),
        "people": _people(case),
        "reviewed_by_me": case.reviewed_by_id == request.user.pk,
        "report": NumberedDocument.objects.filter(kind=NumberedKind.SUSPICION, subject=case.journal_subject).first(),
    }
    return render(request, "organizer/case.html", context, status=400 if form is not None and form.errors else 200)


def _form(request: PersonRequest, case: AmlCase) -> forms.Form | None:
    kind: type[forms.Form] | None = {CaseState.OPEN: OpinionForm, CaseState.REVIEWED: CaseDecisionForm}.get(
        CaseState(case.state)
    )
    return kind(request.POST or None) if kind is not None else None


def _give_opinion(case: AmlCase, staff: User, opinion: str) -> None:
    review_case(case=case, opinion=opinion, reviewed_by=staff)


def _decide(case: AmlCase, staff: User, to: str, decision: str) -> None:
    decide = report_case if to == CaseState.REPORTED else close_case
    decide(case=case, decision=decision, decided_by=staff)


def _subjects(cases: list[AmlCase]) -> dict[str, CaseSubject]:
    """Return how people read what each case is about; the accounts are asked for together."""
    parted = {case.subject: case.subject.partition(":") for case in cases}
    numbers = [int(name) for kind, _colon, name in parted.values() if kind == "game_account"]
    accounts = GameAccount.objects.select_related("player").in_bulk(numbers) if numbers else {}
    words = {"point": _("point %(name)s"), "card": _("card %(name)s"), "game_account": _("account %(name)s")}
    found = {}
    for subject, (kind, _colon, name) in parted.items():
        account = accounts.get(int(name)) if kind == "game_account" else None
        shown = account.player.username if account is not None else name
        found[subject] = CaseSubject(words.get(kind, subject) % {"name": shown}, account)
    return found


def _people(case: AmlCase) -> list[tuple[str, str]]:
    """Return who took part, each by the token: who they are, only the report says."""
    words = {"buyer": _("bought the card"), "user": _("used the card")}
    return [(words.get(part, part), token) for part, token in case.evidence["people"].items()]

"""Entering a result and correcting one: evidence in the same go, the grid, the two entries compared (¶10, H1, H5)."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.commission import CorrectionForm, EvidenceForm
from pools.forms.result import ResultForm
from pools.models import Evidence, Pool, ResultEntry
from pools.services.conflicts import refuse_conflict
from pools.services.differing import entries_side_by_side
from pools.services.evidence import file_evidence
from pools.services.results import (
    ResultProgress,
    attempt_of,
    correct_result,
    enter_result,
    refuse_untimely,
    version_to_correct,
)
from pools.views.entries_in_words import place_name, said_by
from pools.views.kept_entries import STAMP, forget_marks, keep_marks, keeps_entry, kept_marks, marks_in, stamp_for
from pools.views.my_pools import my_pool
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal, told
from totalizator.core.transactions import one_transaction

_OF_FILING = ("file", "source", "address", "captured_at", "condition")


@dataclass(slots=True)
class _Sheet:
    """The page of one entry: which form, what it does, and what forbids it now."""

    pool: Pool
    kind: type[ResultForm]
    corrects: int = 0
    refusal: str = ""


@keeps_entry
@commission_only
def enter(request: PersonRequest, code: str) -> HttpResponseBase:
    """Enter the result, without seeing what another member entered (H1)."""
    pool = my_pool(request, code)
    if request.method != "POST" and pool.protocols.exists():
        return redirect("pools:protocol", code=code)
    return _shown(request, _Sheet(pool, ResultForm, refusal=_why_not(request, pool, partial(refuse_untimely, pool))))


@keeps_entry
@commission_only
def correct(request: PersonRequest, code: str) -> HttpResponseBase:
    """Enter what the result should have been; the page is that of a first result, and asks why."""
    pool = my_pool(request, code)
    refusal = _why_not(request, pool, partial(version_to_correct, pool))
    return _shown(request, _Sheet(pool, CorrectionForm, 0 if refusal else version_to_correct(pool), refusal))


@commission_only
def differences(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show the two entries side by side to the two who made them."""
    pool = my_pool(request, code)
    shown = entries_side_by_side(pool, request.user)
    places = {each.place for each in shown.differences}
    rows = said_by(pool, *(entry.result_text for entry in shown.entries))
    context = {
        "pool": pool,
        "shown": shown,
        "differing": [words for place, *words in rows if place in places],
        "agreeing": [words for place, *words in rows if place not in places],
        "count": len(places),
        "goes_on": not pool.protocols.filter(attempt__gte=shown.attempt).exists(),
        "corrects": shown.entries[0].corrects,
    }
    return render(request, "commission/differences.html", context)


def _why_not(request: PersonRequest, pool: Pool, timely: Any) -> str:
    """Return what forbids an entry now, before anybody fills it in."""
    try:
        timely()
        refuse_conflict(pool, request.user)
    except DomainError as refusal:
        return told(refusal)
    return ""


def _shown(request: PersonRequest, sheet: _Sheet) -> HttpResponseBase:
    if request.method == "POST" and request.POST.get("do") == "file":
        return _filed(request, sheet)
    if request.method != "POST":
        return _page(request, sheet, _begun(sheet, kept_marks(request)), _filing(sheet.pool))
    form, filing = _form(sheet, request.POST), _filing(sheet.pool)
    if request.FILES:
        filing = _filing(sheet.pool, request.POST, request.FILES)
    if form.is_valid() and (not filing.is_bound or filing.is_valid()):
        try:
            progress = _entered(request, sheet, form, filing)
        except DomainError as refusal:
            add_refusal(filing if refusal.field in _OF_FILING else form, refusal)
            sent = request.POST.copy()  # the words are read now: sent again, the form is of the attempt that goes on
            sent["attempt"] = str(attempt_of(sheet.pool)[0])
            form.data = sent
        else:
            forget_marks(request)
            return _after_entry(request, sheet.pool, progress)
    if filing.is_bound and filing.is_valid():
        filing.add_error("file", _("Nothing is filed yet: choose the file again."))
    return _page(request, sheet, form, filing)


def _filed(request: PersonRequest, sheet: _Sheet) -> HttpResponseBase:
    """File a piece of evidence from the page of the entry, and go on with what was marked."""
    filing = _filing(sheet.pool, request.POST, request.FILES)
    if filing.is_valid():
        try:
            filed = _file(request, sheet.pool, filing)
        except DomainError as refusal:
            add_refusal(filing, refusal)
        else:
            keep_marks(request, also_evidence=filed.pk)
            messages.success(request, _("Filed."))
            return redirect(request.path)
    return _page(request, sheet, _begun(sheet, marks_in(request.POST)), filing)


def _file(request: PersonRequest, pool: Pool, filing: EvidenceForm) -> Evidence:
    about = {name: value for name, value in filing.cleaned_data.items() if name != "file"}
    file = filing.cleaned_data["file"]
    return file_evidence(code=pool.code, content=file.read(), original_name=file.name, filed_by=request.user, **about)


def _filing(pool: Pool, *sent: Any) -> EvidenceForm:
    """Return the form of a file that is in the form of the entry: it may be left empty."""
    return EvidenceForm(
        pool.terms, *sent, prefix="file", initial={"captured_at": clock.now()}, use_required_attribute=False
    )


def _form(sheet: _Sheet, *sent: Any, **options: Any) -> ResultForm:
    filed = list(sheet.pool.evidence.select_related("filed_by").order_by("pk"))
    return sheet.kind(sheet.pool.terms, *sent, evidence=filed, use_required_attribute=False, **options)


def _begun(sheet: _Sheet, marks: dict[str, Any]) -> ResultForm:
    return _form(sheet, initial={"attempt": attempt_of(sheet.pool)[0]} | marks)


def _entered(request: PersonRequest, sheet: _Sheet, form: ResultForm, filing: EvidenceForm) -> ResultProgress:
    """Enter what the form says; a file that is chosen and not filed yet is filed with it, or neither is."""
    with one_transaction():
        also = [_file(request, sheet.pool, filing).pk] if filing.is_bound else []
        entry: dict[str, Any] = {"code": sheet.pool.code, "member": request.user, "result": form.result()}
        entry |= {"evidence": [*form.evidence(), *also], "attempt": form.cleaned_data["attempt"]}
        if sheet.kind is not CorrectionForm:
            return enter_result(**entry)
        return correct_result(**entry, reason=form.cleaned_data["reason"], document=form.cleaned_data["document"])


def _page(request: PersonRequest, sheet: _Sheet, form: ResultForm, filing: EvidenceForm) -> HttpResponseBase:
    pool, faulty = sheet.pool, bool(form.errors or filing.errors)
    attempt, others = attempt_of(pool)
    mine = next((entry for entry in others if entry.member_id == request.user.pk), None)
    context = {
        "pool": pool,
        "form": form,
        "filing": filing,
        "filed": list(pool.evidence.select_related("filed_by").order_by("pk")),
        "corrects": sheet.corrects,
        "refusal": sheet.refusal,
        "mine": mine,
        "my_rows": said_by(pool, mine.result_text) if mine else (),
        "attempt": attempt,
        "differed": attempt > 1 and _entered_before(pool, request, attempt - 1),
        "was_kept": not form.is_bound and len(form.initial) > 1,
        "stamp_name": STAMP,
        "stamp": stamp_for(request),
    }
    return render(request, "commission/enter.html", context, status=400 if faulty else 200)


def _entered_before(pool: Pool, request: PersonRequest, attempt: int) -> bool:
    """Tell whether the attempt before was the member's own and came to nothing: then its entries can be compared."""
    entries = ResultEntry.objects.filter(pool=pool, attempt=attempt)
    came_to_nothing = not pool.protocols.filter(attempt=attempt).exists()
    return came_to_nothing and entries.count() == 2 and entries.filter(member=request.user).exists()


def _after_entry(request: PersonRequest, pool: Pool, progress: ResultProgress) -> HttpResponseBase:
    if progress.protocol is not None:
        messages.success(request, _("Both entries agree; the protocol is drawn up. Read and sign it."))
        return redirect("pools:protocol", code=pool.code)
    if progress.differing:
        places = ", ".join(place_name(pool, name) for name in progress.differing)
        messages.error(
            request, _("The two entries differ in: %(places)s. Both members enter again.") % {"places": places}
        )
        return redirect("pools:differences", code=pool.code)
    messages.success(request, _("Your entry is taken. Another member must enter the same."))
    return redirect("pools:commission")

"""The organizer's pages of claims against results: entered with a document, answered by another person (¶33)."""

from datetime import datetime, timedelta
from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import ClaimAnswerForm, ResultClaimForm
from payouts.models import ResultClaim
from payouts.services.result_claims import answer_result_claim, claims_ends, file_result_claim
from pools.models import Protocol
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of

CLAIMS_A_PAGE, TERMS_SHOWN = 50, 20
_LOOKED_BACK = timedelta(days=31)


@organizer_only
def result_claims(request: PersonRequest) -> HttpResponseBase:
    """List the claims that are not answered, the oldest first, or those that are; enter another."""
    form = ResultClaimForm(request.POST or None, request.FILES or None, initial={"code": request.GET.get("code", "")})
    if done_by_form(form, partial(_file, request)):
        messages.success(request, _("The claim is entered; another person answers it."))
        return redirect("payouts:result_claims")
    answered = request.GET.get("answered") == "yes"
    claims = ResultClaim.objects.select_related("pool", "answer", "filed_by").filter(answer__isnull=not answered)
    ordered = claims.order_by("-filed_at", "-pk") if answered else claims.order_by("filed_at", "pk")
    context = {
        "form": form,
        "page": page_of(request, ordered, CLAIMS_A_PAGE),
        "tabs": [(_("to be answered"), "?", not answered), (_("answered"), "?answered=yes", answered)],
        "keep": "answered=yes&" if answered else "",
        "terms": _running_terms(clock.now()),
    }
    return render(request, "organizer/money/result_claims.html", context, status=400 if form.errors else 200)


@organizer_only
def result_claim(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one claim with its document; answer it once, by another person than who entered it."""
    rows = ResultClaim.objects.select_related("pool", "filed_by", "answer__answered_by")
    claim = get_object_or_404(rows, pk=number)
    answer = getattr(claim, "answer", None)
    form = ClaimAnswerForm(request.POST or None) if answer is None else None
    if form is not None and done_by_form(form, partial(answer_result_claim, claim=claim, answered_by=request.user)):
        messages.success(request, _("The claim is answered."))
        return redirect("payouts:result_claim", number=number)
    context = {"claim": claim, "answer": answer, "form": form, "person": request.user}
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/result_claim.html", context, status=status)


def _file(request: PersonRequest, *, file: bytes, **told: str) -> None:
    file_result_claim(**told, content=file, filed_by=request.user)


def _running_terms(now: datetime) -> list[tuple[str, datetime]]:
    """Return the pools whose results can still be claimed against, and until when: the next to end first."""
    sealed = Protocol.objects.filter(sealed_at__gte=now - _LOOKED_BACK).order_by("pool_id", "-sealed_at")
    newest = sealed.distinct("pool_id").values_list("pool__code", "sealed_at")
    known = [(code, at) for code, at in newest if at is not None]
    ends = claims_ends([at for _code, at in known])
    running = [(code, ends[at]) for code, at in known if ends[at] > now]
    return sorted(running, key=lambda row: row[1])[:TERMS_SHOWN]

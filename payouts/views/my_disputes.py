"""A player's disputes: filed with documents, their terms, what was answered (¶45, M1)."""

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only, player_only
from payouts.forms.mine import DocumentForm, OwnDisputeForm
from payouts.models import OPEN_DISPUTES, Dispute, DisputeDocument, DisputeState, Payable, PayableState
from payouts.queries.disputes import answer_due, answers_due
from payouts.services.dispute_documents import dispute_with_document, file_dispute_document, read_document
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

DISPUTES_A_PAGE = 25
MOST_NUMBER = 2**63 - 1


@player_only
def my_disputes(request: PersonRequest) -> HttpResponseBase:
    """List my disputes; file one about a ticket of mine."""
    form = OwnDisputeForm(
        request.POST or None, request.FILES or None, initial={"ticket": request.GET.get("ticket", "")[:60]}
    )
    if form.is_bound and form.is_valid():
        told = form.cleaned_data
        content = told["file"].read() if told["file"] else b""
        try:
            dispute = dispute_with_document(
                ticket=told["ticket"], story=told["story"], content=content, opened_by=request.user
            )
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _what_happens(dispute))
            return redirect("payouts:my_dispute", number=dispute.pk)
    mine = Dispute.objects.filter(opened_by=request.user).select_related("pool").order_by("-pk")
    page = page_of(request, mine, DISPUTES_A_PAGE)
    due = answers_due(request.user)
    context = {"form": form, "page": page, "shown": [(dispute, due.get(dispute.pk)) for dispute in page]}
    return render(request, "player/disputes.html", context, status=400 if form.errors else 200)


@player_only
def my_dispute(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one dispute of mine with what was answered; take a document more while it is open."""
    case = _mine(request, number)
    form = DocumentForm(request.POST or None, request.FILES or None) if case.state in OPEN_DISPUTES else None
    if form is not None:

        def add(file: "UploadedFile[bytes]") -> DisputeDocument:
            return file_dispute_document(dispute=case, content=file.read(), filed_by=request.user)

        if done_by_form(form, add):
            messages.success(request, _("Filed."))
            return redirect("payouts:my_dispute", number=number)
    steps = list(case.steps.order_by("taken_at"))
    ended = (DisputeState.UPHELD, DisputeState.REJECTED)
    due = answer_due(case)
    context = {
        "case": case,
        "form": form,
        "steps": steps,
        "answer": next((step for step in steps if step.state in ended), None),
        "due": due,
        "is_late": case.state in OPEN_DISPUTES and due is not None and due <= clock.now(),
        "documents": case.documents.order_by("pk"),
    }
    return render(request, "player/dispute.html", context, status=400 if form is not None and form.errors else 200)


@player_only
def my_document(request: PersonRequest, number: int, document: int) -> HttpResponseBase:
    """Send a document of a dispute of mine."""
    return _sent(_mine(request, number), document)


@organizer_only
def staff_document(request: PersonRequest, number: int, document: int) -> HttpResponseBase:  # noqa: ARG001
    """Send a document that a player filed with a dispute."""
    return _sent(get_object_or_404(Dispute, pk=min(number, MOST_NUMBER)), document)


def _what_happens(dispute: Dispute) -> str:
    """Say what becomes of the money meanwhile: what is paid stays paid, what is not waits."""
    owed = Payable.objects.filter(pool_id=dispute.pool_id, ticket=dispute.ticket)
    if owed.filter(state=PayableState.PAID).exists() and not owed.filter(state=PayableState.DUE).exists():
        return _("Your dispute is received; what was paid on the ticket stays paid.")
    return _("Your dispute is received; nothing is paid on the ticket meanwhile.")


def _mine(request: PersonRequest, number: int) -> Dispute:
    mine = Dispute.objects.select_related("pool").filter(opened_by=request.user)
    return get_object_or_404(mine, pk=min(number, MOST_NUMBER))


def _sent(dispute: Dispute, number: int) -> HttpResponse:
    """Return a filed file, to be kept and not to be looked at in the browser, under a name of ours."""
    document = get_object_or_404(DisputeDocument, dispute=dispute, pk=min(number, MOST_NUMBER))
    answer = HttpResponse(read_document(document), content_type=document.content_type)
    ending = str(document.file).rpartition(".")[2]
    answer["Content-Disposition"] = f'attachment; filename="dispute-{dispute.pk}-{document.pk}.{ending}"'
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "no-store"
    return answer

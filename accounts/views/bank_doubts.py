"""The organizer's pages of lines in doubt: one says whether it was told before, another approves (¶35.5)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.bank import DoubtForm
from accounts.models import BankLine, BankLineProposal
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.bank_doubts import approve_doubt, doubtful_lines, propose_doubt
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

DOUBTS_A_PAGE = 25
_SIDES = ("account", "statement", "words", "resembles__account", "resembles__statement", "resembles__words")


@organizer_only
def bank_doubts(request: PersonRequest) -> HttpResponseBase:
    """List the lines of which nobody has decided what they are, the oldest first."""
    lines = doubtful_lines().select_related(*_SIDES).order_by("pk")
    page = page_of(request, lines, DOUBTS_A_PAGE)
    proposed = set(BankLineProposal.objects.filter(line__in=list(page)).values_list("line_id", flat=True))
    context = {"page": page, "shown": [(line, line.pk in proposed) for line in page]}
    return render(request, "organizer/money/bank_doubts.html", context)


@organizer_only
def bank_doubt(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a line beside the one that it may be; take a proposal."""
    line = get_object_or_404(BankLine.objects.filter(resembles__isnull=False).select_related(*_SIDES), pk=number)
    latest = line.proposals.select_related("proposed_by", "decision__approved_by").order_by("-pk").first()
    form = DoubtForm(request.POST or None)
    if done_by_form(form, partial(propose_doubt, line=line, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:bank_doubt", number=number)
    decided = latest is not None and hasattr(latest, "decision")
    context = {
        "line": line,
        "sides": [(_("The line in doubt"), line), (_("The line that it may be"), line.resembles)],
        "proposal": latest,
        "decided": decided,
        "form": None if decided else form,
        "person": request.user,
    }
    return render(request, "organizer/money/bank_doubt.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Carry out what another person proposed about a line."""
    proposal = get_object_or_404(BankLineProposal.objects.select_related("line__account", "line__words"), pk=number)
    do_by_button(
        request,
        partial(approve_doubt, proposal=proposal, approved_by=request.user),
        said=_("It is decided what the line is."),
    )
    return redirect("accounts:bank_doubt", number=proposal.line_id)

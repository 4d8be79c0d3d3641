"""The organizer's pages of published winners: what each agreed to, two people, until the winner says no (¶14, ¶44)."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import ConsentForm, WithdrawnForm
from payouts.models import PublicationConsent, PublicationProposal
from payouts.queries.publications import consents
from payouts.services.publishing_winners import (
    Agreed,
    approve_publication,
    consent_on_paper,
    photo_of,
    propose_publication,
    withdraw_consent,
)
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.filed_files import kind_of_scan
from totalizator.core.paging import page_of

CONSENTS_A_PAGE = 50


@organizer_only
def publications(request: PersonRequest) -> HttpResponseBase:
    """List what winners have agreed to, the newest first; file a signed paper."""
    form = ConsentForm(request.POST or None, request.FILES or None)
    if done_by_form(form, partial(_take, request)):
        messages.success(request, _("The consent is filed; nothing is published yet."))
        return redirect("payouts:publications")
    page = page_of(request, consents().order_by("-pk"), CONSENTS_A_PAGE)
    open_proposals = PublicationProposal.objects.filter(consent__in=list(page), consent__publication__isnull=True)
    proposed = set(open_proposals.values_list("consent_id", flat=True))
    context = {"form": form, "page": page, "shown": [(each, *_standing(each, proposed)) for each in page]}
    return render(request, "organizer/money/publications.html", context, status=400 if form.errors else 200)


@organizer_only
def publication(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one consent and what became of it; end it by the winner's paper."""
    consent = get_object_or_404(consents(), pk=number)
    withdrawal = getattr(consent, "withdrawal", None)
    form = WithdrawnForm(request.POST or None) if withdrawal is None else None
    withdraw = partial(withdraw_consent, consent=consent, withdrawn_by=request.user)
    if form is not None and done_by_form(form, withdraw):
        messages.success(request, _("The consent has ended; nothing of this winner is shown any more."))
        return redirect("payouts:publication", number=number)
    published = getattr(consent, "publication", None)
    proposal = consent.proposals.select_related("proposed_by").order_by("-pk").first() if published is None else None
    state, tone = _standing(consent, {consent.pk} if proposal is not None else set())
    context = {
        "consent": consent,
        "state": state,
        "tone": tone,
        "published": published,
        "withdrawal": withdrawal,
        "proposal": proposal,
        "form": form,
        "person": request.user,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/publication.html", context, status=status)


@organizer_only
def propose(request: PersonRequest, number: int) -> HttpResponseBase:
    """Propose to publish what a winner has agreed to."""
    consent = get_object_or_404(consents(), pk=number)
    do_by_button(
        request,
        partial(propose_publication, consent=consent, proposed_by=request.user),
        said=_("Another person has to approve it now."),
    )
    return redirect("payouts:publication", number=number)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Publish a winner whom another person proposed."""
    proposal = get_object_or_404(PublicationProposal.objects.select_related("consent"), pk=number)
    do_by_button(
        request,
        partial(approve_publication, proposal=proposal, approved_by=request.user),
        said=_("The winner is published."),
    )
    return redirect("payouts:publication", number=proposal.consent_id)


@organizer_only
def photo(request: PersonRequest, number: int) -> HttpResponseBase:  # noqa: ARG001
    """Show the photo of a consent to who decides about it."""
    content = photo_of(get_object_or_404(consents(), pk=number))
    kind = kind_of_scan(content) if content else None
    if content is None or kind is None:
        raise Http404
    answer = HttpResponse(content, content_type=kind[0])
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "private, no-store"
    return answer


def _take(
    request: PersonRequest, *, ticket: str, name: str, words: str, amount: bool, photo: bytes, file: bytes
) -> None:
    agreed = Agreed(name=name, words=words, amount=amount, photo=photo)
    consent_on_paper(ticket=ticket, agreed=agreed, paper=file, taken_by=request.user)


def _standing(consent: PublicationConsent, proposed: set[int]) -> tuple[str, str]:
    """Return what became of a consent, in words and as the tone of its badge."""
    if hasattr(consent, "withdrawal"):
        return _("withdrawn"), "bad"
    if hasattr(consent, "publication"):
        return _("published"), "good"
    if consent.pk in proposed:
        return _("proposed"), "warn"
    return _("not published"), "quiet"

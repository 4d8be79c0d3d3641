"""What a player agrees to have published of a winning, and taking that back (¶14, ¶44)."""

from functools import partial

from django.contrib import messages
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, player_only
from accounts.views.step_up import requires_step_up, step_up_address
from payouts.forms.mine import ConsentForm
from payouts.models import ConsentWay, PublicationConsent
from payouts.queries.publications import consents
from payouts.services.publishing_winners import Agreed, consent_from_account, withdraw_consent
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

CONSENTS_A_PAGE = 25


@player_only
def my_publications(request: PersonRequest) -> HttpResponseBase:
    """List what I agreed to; agree to what may be published of a winning of mine."""
    form = ConsentForm(request.POST or None, initial={"ticket": request.GET.get("ticket", "")[:60]})
    stepped_up = not requires_step_up(request)

    def agree(ticket: str, name: str, words: str, *, amount: bool) -> PublicationConsent:
        agreed = Agreed(name=name, words=words, amount=amount)
        return consent_from_account(ticket=ticket, agreed=agreed, player=request.user, stepped_up=stepped_up)

    if done_by_form(form, agree):
        messages.success(request, _("Your consent is noted. You can withdraw it at any time."))
        return redirect("payouts:my_publications")
    page = page_of(request, _mine(request).order_by("-pk"), CONSENTS_A_PAGE)
    back = reverse("payouts:my_publications")
    context = {"form": form, "page": page, "step_up": "" if stepped_up else step_up_address(request, back)}
    return render(request, "player/publications.html", context, status=400 if form.errors else 200)


@player_only
def withdraw(request: PersonRequest, number: int) -> HttpResponseBase:
    """Have nothing published any more that I agreed to."""
    consent = get_object_or_404(_mine(request), pk=min(number, 2**63 - 1))
    do_by_button(
        request,
        partial(withdraw_consent, consent=consent, reason="", withdrawn_by=request.user),
        said=_("Your consent is withdrawn: nothing of it is shown any more."),
    )
    return redirect("payouts:my_publications")


def _mine(request: PersonRequest) -> QuerySet[PublicationConsent]:
    return consents().filter(given_by=request.user, way=ConsentWay.ACCOUNT)

"""The organizer's page of releases: which code may be put in service, by two people, and which was (R2, R4)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.system import ChangeForm
from accounts.models import ReleaseChange
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.release_changes import approve_change, propose_change
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.models import Release
from totalizator.core.paging import page_of

CHANGES_A_PAGE, RELEASES_SHOWN = 10, 20


@organizer_only
def releases(request: PersonRequest) -> HttpResponseBase:
    """Show the change records and the register of releases; propose a change."""
    form = ChangeForm(request.POST or None)
    if done_by_form(form, partial(propose_change, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:releases")
    changes = ReleaseChange.objects.select_related("proposed_by", "approval__approved_by").order_by("-pk")
    page = page_of(request, changes, CHANGES_A_PAGE)
    used = dict(
        Release.objects.filter(change_number__in=[change.pk for change in page]).values_list("change_number", "number")
    )
    context = {
        "form": form,
        "page": page,
        "shown": [(change, getattr(change, "approval", None), used.get(change.pk)) for change in page],
        "registered": Release.objects.defer("files", "configuration").order_by("-number")[:RELEASES_SHOWN],
        "person": request.user,
    }
    return render(request, "organizer/releases.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Approve a change record that another person proposed."""
    said = _("The change is approved: one release of exactly its code may be registered.")
    do_by_button(request, partial(approve_change, number=number, approved_by=request.user), said=said)
    return redirect("accounts:releases")

"""The organizer's page of the commission's keys: in force, to be revoked, and the pools that lack signers."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.commission import KeyProposalForm
from pools.models import CommissionKey, KeyRevocationProposal
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.sealing_outlook import pools_short_of_signers
from totalizator.core.acting import done_by_form


@organizer_only
def commission_keys(request: PersonRequest) -> HttpResponseBase:
    """Show the keys, and propose to revoke one that is lost."""
    form = KeyProposalForm(request.POST or None)
    if done_by_form(form, partial(propose_key_revocation, proposed_by=request.user)):
        messages.success(request, _("Proposed. Another person must approve it."))
        return redirect("pools:commission_keys")
    waiting = KeyRevocationProposal.objects.filter(key__revoked_at__isnull=True)
    context = {
        "form": form,
        "keys": CommissionKey.objects.select_related("member").order_by("created_at"),
        "proposals": waiting.select_related("key__member", "proposed_by").order_by("pk"),
        "short": pools_short_of_signers(),
    }
    return render(request, "organizer/commission_keys.html", context, status=400 if form.errors else 200)


@organizer_only
def approve_revocation(request: PersonRequest, key_id: str) -> HttpResponseBase:
    """Revoke a key as another person proposed."""
    if request.method != "POST":
        return redirect("pools:commission_keys")
    number = request.POST.get("number", "")
    approve_key_revocation(key_id=key_id, number=int(number) if number.isdecimal() else 0, approved_by=request.user)
    messages.success(request, _("The key is revoked."))
    return redirect("pools:commission_keys")

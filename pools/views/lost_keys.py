"""The organizer's page of the commission's keys: in force, to be revoked, and the pools that lack signers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Count, Max, Q, QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.commission import KeyFilterForm, KeyProposalForm
from pools.models import CommissionKey, KeyRevocationProposal, ProtocolSignature
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.sealing_outlook import pools_short_of_signers
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import kept, page_of

KEYS_A_PAGE = 50


@organizer_only
def commission_keys(request: PersonRequest) -> HttpResponseBase:
    """Show the keys, and propose to revoke one that is lost."""
    in_force = CommissionKey.objects.filter(revoked_at__isnull=True).select_related("member")
    form = KeyProposalForm(list(in_force.order_by("member__last_name", "member__username")), request.POST or None)
    if done_by_form(form, partial(propose_key_revocation, proposed_by=request.user)):
        messages.success(request, _("Proposed. Another person must approve it."))
        return redirect("pools:commission_keys")
    sought = KeyFilterForm(request.GET)
    page = page_of(request, _keys(sought), KEYS_A_PAGE)
    waiting = KeyRevocationProposal.objects.filter(key__revoked_at__isnull=True)
    context = {
        "form": form,
        "sought": sought,
        "keep": kept(request),
        "page": page,
        "rows": _with_signatures(list(page)),
        "proposals": waiting.select_related("key__member", "proposed_by").order_by("pk"),
        "short": pools_short_of_signers(),
        "person": request.user,
    }
    return render(request, "organizer/commission_keys.html", context, status=400 if form.errors else 200)


@organizer_only
def approve_revocation(request: PersonRequest, key_id: str) -> HttpResponseBase:
    """Revoke a key as another person proposed."""
    number = request.POST.get("number", "")
    named = int(number[:9]) if number.isdecimal() else 0
    do_by_button(
        request,
        partial(approve_key_revocation, key_id=key_id, number=named, approved_by=request.user),
        said=_("The key is revoked."),
    )
    return redirect("pools:commission_keys")


def _keys(sought: KeyFilterForm) -> QuerySet[CommissionKey]:
    keys = CommissionKey.objects.select_related("member").order_by("-created_at", "key_id")
    if not sought.is_valid():
        return keys
    state, words = sought.cleaned_data["state"], sought.cleaned_data["words"].strip()
    if state:
        keys = keys.filter(revoked_at__isnull=state == "force")
    if words:
        of_member = Q(member__username__icontains=words) | Q(member__last_name__icontains=words)
        keys = keys.filter(of_member | Q(key_id__icontains=words))
    return keys


def _with_signatures(keys: list[CommissionKey]) -> list[tuple[CommissionKey, int, object]]:
    signed = ProtocolSignature.objects.filter(key__in=keys).values("key").order_by()
    counted = {row["key"]: row for row in signed.annotate(count=Count("*"), last=Max("signed_at"))}
    return [(key, *_of(counted.get(key.pk))) for key in keys]


def _of(row: Mapping[str, Any] | None) -> tuple[int, object]:
    return (row["count"], row["last"]) if row else (0, None)

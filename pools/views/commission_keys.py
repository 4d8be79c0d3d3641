"""A member's own keys: what each signed, making one, taking one out of force (¶10, X5)."""

from functools import partial

from django.contrib import messages
from django.db.models import Count, Max
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.result import NewKeyForm, RevocationForm
from pools.models import CommissionKey, Pool, PoolState, ProtocolSignature
from pools.services.commission_keys import create_key, revoke_key
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

SIGNED_A_PAGE = 50
_UNDECIDED = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED)


@commission_only
def my_keys(request: PersonRequest) -> HttpResponseBase:
    """List the keys that the member has or had, and how much each signed."""
    keys = list(CommissionKey.objects.filter(member=request.user).order_by("-created_at"))
    signed = ProtocolSignature.objects.filter(key__in=keys).values("key").order_by()
    counted = {row["key"]: row for row in signed.annotate(count=Count("*"), last=Max("signed_at"))}
    context = {
        "keys": [(key, counted.get(key.pk, {"count": 0, "last": None})) for key in keys],
        "needs_key": all(key.revoked_at for key in keys),
    }
    return render(request, "commission/keys.html", context)


@commission_only
def my_key(request: PersonRequest, key_id: str) -> HttpResponseBase:
    """Show one of the member's keys: its public half, which pools count on it, each protocol that it signed."""
    key = get_object_or_404(CommissionKey, key_id=key_id, member=request.user)
    signed = ProtocolSignature.objects.filter(key=key).select_related("pool").order_by("-signed_at", "-pool_id")
    undecided = Pool.objects.filter(members__member=request.user, state__in=_UNDECIDED).order_by("closes_at")
    named = [pool for pool in undecided if pool.terms.quorum and key.key_id in pool.terms.quorum.members]
    context = {
        "key": key,
        "page": page_of(request, signed, SIGNED_A_PAGE),
        "named": named,
    }
    return render(request, "commission/key.html", context)


@commission_only
def new_key(request: PersonRequest) -> HttpResponseBase:
    """Make the member's own key, under a passphrase of their own."""
    form = NewKeyForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            key = create_key(member=request.user, passphrase=form.cleaned_data["passphrase"])
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Your key is made: %(key)s.") % {"key": key.key_id})
            return redirect("pools:my_keys")
    return render(request, "commission/new_key.html", {"form": form}, status=400 if form.errors else 200)


@commission_only
def revoke(request: PersonRequest, key_id: str) -> HttpResponseBase:
    """Take one's own key out of force for good; what it signed stays valid."""
    key = get_object_or_404(CommissionKey, key_id=key_id, member=request.user)
    form = RevocationForm(request.POST or None)
    if done_by_form(form, partial(revoke_key, key_id=key_id, revoked_by=request.user)):
        messages.success(request, _("The key is revoked. Make another one to be appointed to new pools."))
        return redirect("pools:my_keys")
    undecided = Pool.objects.filter(members__member=request.user, state__in=_UNDECIDED)
    context = {"form": form, "key": key, "count_undecided": undecided.count()}
    return render(request, "commission/revoke.html", context, status=400 if form.errors else 200)

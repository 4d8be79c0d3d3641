"""The commission's desk: what waits for me, entering a result, the protocol and signing it (¶10, ¶30)."""

import json
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.commission import SigningForm
from pools.forms.result import NewKeyForm, ResultForm, RevocationForm
from pools.models import CommissionKey, Pool, PoolState, Protocol
from pools.queries.corrections import pools_being_corrected, unsealed_correction
from pools.services.commission_keys import create_key, revoke_key
from pools.services.dissents import dissents_from
from pools.services.protocols import document_digest, sign_protocol, signatures_under
from pools.services.results import ResultProgress, enter_result
from pools.services.sealing_outlook import pools_short_of_signers
from pools.views.public import right_row
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pool of my commission and what it waits for; `mine` when it waits for me."""

    pool: Pool
    step: str
    mine: bool


@commission_only
def desk(request: PersonRequest) -> HttpResponseBase:
    """List the pools whose result or protocol waits, and my keys."""
    pools = Pool.objects.filter(members__member=request.user)
    corrected = pools.filter(state=PoolState.RESULTED, protocols__version__gt=1, protocols__sealed_at__isnull=True)
    settled = [pool for pool in pools.filter(pk__in=pools_being_corrected().values("pk")) if unsealed_correction(pool)]
    signing = (*pools.filter(state=PoolState.CLOSED), *corrected.distinct(), *settled)
    waiting = [_waiting(request, pool) for pool in signing]
    keys = list(CommissionKey.objects.filter(member=request.user).order_by("created_at"))
    context = {
        "waiting": sorted(waiting, key=lambda item: not item.mine),
        "coming": pools.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN)),
        "done": pools.filter(state__in=(PoolState.RESULTED, PoolState.SETTLED)).order_by("-closes_at")[:20],
        "keys": keys,
        "needs_key": all(key.revoked_at for key in keys),
        "short": pools_short_of_signers(pools),
    }
    return render(request, "commission/desk.html", context)


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
            return redirect("pools:commission")
    return render(request, "commission/key.html", {"form": form}, status=400 if form.errors else 200)


@commission_only
def revoke(request: PersonRequest, key_id: str) -> HttpResponseBase:
    """Take one's own key out of force for good; what it signed stays valid."""
    key = get_object_or_404(CommissionKey, key_id=key_id, member=request.user)
    form = RevocationForm(request.POST or None)
    if done_by_form(form, partial(revoke_key, key_id=key_id, revoked_by=request.user)):
        messages.success(request, _("The key is revoked. Make another one to be appointed to new pools."))
        return redirect("pools:commission")
    return render(request, "commission/revoke.html", {"form": form, "key": key}, status=400 if form.errors else 200)


@commission_only
def enter(request: PersonRequest, code: str) -> HttpResponseBase:
    """Enter the result, without seeing what another member entered (H1)."""
    pool = my_pool(request, code)
    evidence = list(pool.evidence.order_by("pk"))
    form = ResultForm(pool.terms, request.POST or None, evidence=evidence)
    if form.is_bound and form.is_valid():
        try:
            progress = enter_result(code=code, member=request.user, result=form.result(), evidence=form.evidence())
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            return after_entry(request, pool, progress)
    context = {"pool": pool, "form": form, "has_evidence": bool(evidence)}
    return render(request, "commission/enter.html", context, status=400 if form.errors else 200)


@commission_only
def protocol(request: PersonRequest, code: str) -> HttpResponseBase:
    """Read the protocol, and sign it with one's passphrase."""
    pool = my_pool(request, code)
    drawn_up = Protocol.objects.filter(pool=pool).order_by("-version").first()
    if drawn_up is None:
        return redirect("pools:enter", code=code)
    form = SigningForm(request.POST or None, initial={"read": document_digest(drawn_up)})
    if form.is_bound and form.is_valid():
        try:
            sealed = sign_protocol(code=code, member=request.user, **form.cleaned_data)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            said = _("Signed. The protocol is sealed.") if sealed else _("Signed. More signatures are needed.")
            messages.success(request, said)
            return redirect("pools:protocol", code=code)
    document = json.loads(drawn_up.document_text)
    signatures = signatures_under(drawn_up)
    context = {
        "pool": pool,
        "protocol": drawn_up,
        "document": document,
        "document_text": json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True),
        "right_row": right_row(pool, document),
        "signatures": signatures.select_related("key__member").order_by("signed_at"),
        "signed_by_me": signatures.filter(key__member=request.user).exists(),
        "need": pool.terms.quorum.need if pool.terms.quorum else 0,
        "members": pool.members.select_related("member").order_by("-chair", "member_id"),
        "dissents": dissents_from(drawn_up),
        "is_short": pools_short_of_signers([pool]),
        "form": form,
    }
    return render(request, "commission/protocol.html", context, status=400 if form.errors else 200)


def my_pool(request: PersonRequest, code: str) -> Pool:
    """Return a pool of which the person is a commission member; any other is not there for them."""
    pool = Pool.objects.filter(code=code, members__member=request.user).first()
    if pool is None:
        raise Http404
    return pool


def _waiting(request: PersonRequest, pool: Pool) -> Waiting:
    drawn_up = pool.protocols.order_by("-version").first()
    if drawn_up is not None:
        mine = not signatures_under(drawn_up).filter(key__member=request.user).exists()
        return Waiting(pool, _("read and sign the protocol") if mine else _("waits for others' signatures"), mine)
    if not hasattr(pool, "commitment"):
        return Waiting(pool, _("its bets are being sealed"), mine=False)
    entries = list(pool.result_entries.order_by("-attempt"))
    last = [entry for entry in entries if entry.attempt == entries[0].attempt]
    if len(last) == 2:
        return Waiting(pool, _("the two entries differ: enter the result again"), mine=True)
    mine = all(entry.member_id != request.user.pk for entry in last)
    return Waiting(pool, _("enter the result") if mine else _("waits for another member's entry"), mine)


def after_entry(request: PersonRequest, pool: Pool, progress: ResultProgress) -> HttpResponseBase:
    if progress.protocol is not None:
        messages.success(request, _("Both entries agree; the protocol is drawn up. Read and sign it."))
        return redirect("pools:protocol", code=pool.code)
    if progress.differing:
        places = ", ".join(place_name(name) for name in progress.differing)
        messages.error(
            request, _("The two entries differ in: %(places)s. Both members enter again.") % {"places": places}
        )
        return redirect("pools:differences", code=pool.code)
    messages.success(request, _("Your entry is taken. Another member must enter the same."))
    return redirect("pools:commission")


def place_name(name: str) -> str:
    if name == "event_void":
        return _("whether the event is void")
    if name == "first_started_at":
        return _("the actual start")
    return _("condition %(code)s") % {"code": name}

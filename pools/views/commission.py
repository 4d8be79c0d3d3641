"""The commission's desk: what waits for me, reading the protocol as it is printed, and signing it (¶10, ¶30)."""

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.commission import DissentForm, SigningForm
from pools.models import CommissionKey, Pool, PoolState, Protocol
from pools.services.commission_waiting import TO_CLOSE, Step, Waiting, pools_in_hand, waiting_for
from pools.services.dissents import dissent, dissents_from
from pools.services.protocol_pdf import protocol_facts
from pools.services.protocols import document_digest, sign_protocol, signatures_under
from pools.services.sealing_outlook import pools_short_of_signers
from pools.views.my_pools import my_pool
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

WAITING_A_PAGE = 50
FEW = 5
_DECIDED = (PoolState.RESULTED, PoolState.SETTLED)


@commission_only
def desk(request: PersonRequest) -> HttpResponseBase:
    """List the pools whose result or protocol waits, those still to close, and what was decided last."""
    in_hand = pools_in_hand(request.user)
    waiting = waiting_for(request.user, in_hand)
    coming = [pool for pool in in_hand if pool.state in TO_CLOSE]
    decided = Pool.objects.filter(members__member=request.user, state__in=_DECIDED)
    page = page_of(request, waiting, WAITING_A_PAGE)
    context = {
        "page": page,
        "rows": [(each, _told(each.step), _where(each)) for each in page],
        "now": clock.now(),
        "mine": sum(each.mine for each in waiting),
        "others": sum(not each.mine for each in waiting),
        "coming": coming[:FEW],
        "count_coming": len(coming),
        "done": decided.order_by("-closes_at", "-pk")[:FEW],
        "key": CommissionKey.objects.filter(member=request.user, revoked_at__isnull=True).first(),
        "short": pools_short_of_signers(in_hand),
    }
    return render(request, "commission/desk.html", context)


@commission_only
def protocol(request: PersonRequest, code: str) -> HttpResponseBase:
    """Read the protocol as it is printed, and sign it with one's passphrase."""
    pool = my_pool(request, code)
    drawn_up = _standing(pool)
    if drawn_up is None:
        return redirect("pools:enter", code=code)
    form = SigningForm(request.POST or None, initial={"read": document_digest(drawn_up)})
    if form.is_bound and form.is_valid():
        try:
            sealed = sign_protocol(code=code, member=request.user, **form.cleaned_data)
        except DomainError as refusal:
            add_refusal(form, refusal)
            drawn_up = _read_again(request, form, drawn_up)
        else:
            said = _("Signed. The protocol is sealed.") if sealed else _("Signed. More signatures are needed.")
            messages.success(request, said)
            return redirect("pools:protocol", code=code)
    context = _paper(request, pool, drawn_up) | {"form": form}
    return render(request, "commission/protocol.html", context, status=400 if form.errors else 200)


@commission_only
def disagree(request: PersonRequest, code: str) -> HttpResponseBase:
    """Say why one disagrees with the protocol that was read."""
    pool = my_pool(request, code)
    drawn_up = _standing(pool)
    if drawn_up is None:
        return redirect("pools:enter", code=code)
    form = DissentForm(request.POST or None, initial={"read": document_digest(drawn_up)})
    if form.is_bound and form.is_valid():
        try:
            dissent(code=code, member=request.user, **form.cleaned_data)
        except DomainError as refusal:
            add_refusal(form, refusal)
            drawn_up = _read_again(request, form, drawn_up)
        else:
            messages.success(request, _("Your dissent is recorded."))
            return redirect("pools:protocol", code=code)
    context = {"pool": pool, "form": form, "protocol": drawn_up, "is_first": not signatures_under(drawn_up).exists()}
    return render(request, "commission/dissent.html", context, status=400 if form.errors else 200)


def _standing(pool: Pool) -> Protocol | None:
    return Protocol.objects.filter(pool=pool).order_by("-version").first()


def _read_again(request: PersonRequest, form: SigningForm | DissentForm, refused: Protocol) -> Protocol:
    """Return the protocol that stands by now; the form, once it is shown beside it, is of that one."""
    standing, sent = _standing(refused.pool) or refused, request.POST.copy()
    sent["read"] = document_digest(standing)
    form.data = sent
    return standing


def _paper(request: PersonRequest, pool: Pool, drawn_up: Protocol) -> dict[str, object]:
    facts = protocol_facts(
        pool, drawn_up, address=request.build_absolute_uri(reverse("pools:result", args=[pool.code]))
    )
    signatures = list(signatures_under(drawn_up).select_related("key__member").order_by("signed_at"))
    signed_at = {each.key.member_id: each.signed_at for each in signatures}
    members = pool.members.select_related("member").order_by("-chair", "member_id")
    short = pools_short_of_signers([pool])
    return {
        "pool": pool,
        "protocol": drawn_up,
        "facts": facts,
        "signed": document_digest(drawn_up),
        "members": [(row.member, row.chair, signed_at.get(row.member_id)) for row in members],
        "given": len(signatures),
        "lacking": max(0, facts.need - len(signatures)),
        "signed_by_me": request.user.pk in signed_at,
        "has_dissented": dissents_from(drawn_up).filter(member=request.user).exists(),
        "can_be_signed": drawn_up.sealed_at is None,
        "short": short,
    }


def _told(step: Step) -> str:
    return {
        Step.SEALING: _("its bets are being sealed"),
        Step.ENTRY: _("enter the result"),
        Step.OTHER_ENTRY: _("waits for another member's entry"),
        Step.DIFFERING: _("the two entries differ: enter the result again"),
        Step.CORRECTION: _("another member corrects the result: enter what it should have been"),
        Step.SIGNATURE: _("read and sign the protocol"),
        Step.OTHER_SIGNATURES: _("waits for others' signatures"),
        Step.CONFLICT: _("you have declared a conflict"),
    }[step]


def _where(waiting: Waiting) -> str:
    if waiting.step in (Step.SIGNATURE, Step.OTHER_SIGNATURES):
        return "pools:protocol"
    return "pools:correct_result" if waiting.corrects else "pools:enter"

"""The organizer's page of who may not play: the register read, a shrunken one confirmed, exclusions sent on (P2)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.vigilance import ApproveShrunkenForm, ForwardedForm, RegisterForm, ShrunkenForm
from accounts.models import Exclusion, RegisterImport, RestrictedPerson, ShrunkenRegister
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.exclusions import exclusions_to_forward
from accounts.services.exclusion import note_forwarded
from accounts.services.register_shrinkage import approve_shrunken, propose_shrunken
from accounts.services.restricted_register import FaultyLine, import_register
from totalizator.core import clock
from totalizator.core.acting import done_by_form, form_of_row
from totalizator.core.errors import DomainError
from totalizator.core.legal import legal_numbers
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal, told

EXCLUSIONS_A_PAGE, IMPORTS_SHOWN, MOST_FAULTS = 25, 8, 100


@organizer_only
def exclusions(request: PersonRequest) -> HttpResponseBase:
    """Show how fresh the register is and what is to be sent on; read a register, telling each line that is wrong."""
    if request.method != "POST":
        return _page(request)
    form = RegisterForm(request.POST, request.FILES)
    if form.is_valid():
        data = form.cleaned_data
        try:
            read = import_register(text=data["file"], as_of=data["as_of"], actor=request.user.actor)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            if read.faults:
                return _page(request, faults=read.faults, form=RegisterForm(initial={"as_of": data["as_of"]}))
            messages.success(
                request, _("The register is read. Persons in it: %(count)s.") % {"count": read.record.lines}
            )
            return redirect("accounts:exclusions")
    return _page(request, form=form)


@organizer_only
def confirm_shrunken(request: PersonRequest) -> HttpResponseBase:
    """Say why a file that lacks much is right; another person approves."""
    if request.method != "POST":
        return redirect("accounts:exclusions")
    form = ShrunkenForm(request.POST, request.FILES)
    if done_by_form(form, lambda file, reason: propose_shrunken(text=file, reason=reason, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:exclusions")
    return _page(request, confirm=form)


@organizer_only
def approve_shrunk(request: PersonRequest) -> HttpResponseBase:
    """Approve the very file that another person has proposed."""
    if request.method != "POST":
        return redirect("accounts:exclusions")
    form = ApproveShrunkenForm(request.POST, request.FILES)
    if done_by_form(form, lambda file: approve_shrunken(text=file, approved_by=request.user)):
        messages.success(request, _("The file can be read now."))
        return redirect("accounts:exclusions")
    return _page(request, approve=form)


@organizer_only
def forward(request: PersonRequest) -> HttpResponseBase:
    """Note that a self-exclusion was sent on to the keeper of the register."""
    if request.method != "POST":
        return redirect("accounts:exclusions")
    form = ForwardedForm(request.POST)
    if form.is_valid():
        exclusion = get_object_or_404(Exclusion.objects.select_related("person"), pk=form.cleaned_data["number"])
        note = partial(note_forwarded, exclusion=exclusion, forwarded_by=request.user)
        if done_by_form(form, lambda number, reference: note(reference=reference)):  # noqa: ARG005
            messages.success(request, _("It is noted."))
            return redirect("accounts:exclusions")
    return _page(request, forwarded=form)


def _page(
    request: PersonRequest, *, faults: Sequence[FaultyLine] = (), forwarded: ForwardedForm | None = None, **bound: Any
) -> HttpResponseBase:
    forms: dict[str, BaseForm] = {
        "form": RegisterForm(initial={"as_of": clock.now()}, auto_id="id_read_%s"),
        "confirm": ShrunkenForm(auto_id="id_confirm_%s"),
        "approve": ApproveShrunkenForm(auto_id="id_approve_%s"),
    } | bound
    asked = [*forms.values(), *([forwarded] if forwarded is not None else [])]
    waiting = exclusions_to_forward().select_related("person__player__game_account")
    page = page_of(request, waiting, EXCLUSIONS_A_PAGE)
    shown = [_shown(exclusion, forwarded) for exclusion in page]
    astray = forwarded if forwarded is not None and all(item is not forwarded for *_row, item in shown) else None
    now = clock.now()
    context = {
        **forms,
        **_freshness(now),
        "faults": [(line.number, told(line.fault)) for line in faults[:MOST_FAULTS]],
        "fault_count": len(faults),
        "imports": RegisterImport.objects.order_by("-pk")[:IMPORTS_SHOWN],
        "standing": RestrictedPerson.objects.filter(until__isnull=True, lifted_at__isnull=True).count(),
        "dated": RestrictedPerson.objects.filter(until__gte=clock.today()).count(),
        "proposals": ShrunkenRegister.objects.filter(approved_at__isnull=True).select_related("proposed_by"),
        "page": page,
        "shown": shown,
        "astray": astray,
        "person": request.user,
    }
    wrong = faults or any(form.errors for form in asked if form.is_bound)
    return render(request, "organizer/exclusions.html", context, status=400 if wrong else 200)


def _freshness(now: datetime) -> dict[str, Any]:
    """Return when the register was read last without a fault, and until when it can be trusted."""
    days = timedelta(days=int(legal_numbers(now)["restricted_register_days"]))
    last = RegisterImport.objects.filter(faults=0).order_by("-as_of", "-pk").first()
    fresh_until = last.as_of + days if last is not None else None
    return {"last": last, "fresh_until": fresh_until, "is_fresh": fresh_until is not None and now <= fresh_until}


def _shown(exclusion: Exclusion, asked: ForwardedForm | None) -> tuple[Exclusion, datetime, bool, ForwardedForm]:
    """Return an exclusion, when it is to be sent on, whether that is over, and the form that notes it."""
    hours = int(legal_numbers(exclusion.begins_at)["exclusion_forward_hours"])
    due = exclusion.begins_at + timedelta(hours=hours)
    return exclusion, due, due < clock.now(), form_of_row(ForwardedForm, exclusion.pk, asked)

"""The organizer's pages of users: who has which role and a second factor; a role is changed by two people (R1)."""

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlencode

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.forms.system import RoleForm
from accounts.models import Role, RoleProposal, User
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.role_proposals import standing_roles
from accounts.services.closing_logins import standing_closing
from accounts.services.roles import approve_role, propose_role
from accounts.services.withdrawn_proposals import withdraw_role
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

PEOPLE_A_PAGE, MOST_LETTERS, MOST_PROPOSALS = 50, 100, 50
FACTORS: Mapping[str, str | Promise] = {
    Authenticator.Type.TOTP: gettext_lazy("codes of an app"),
    Authenticator.Type.WEBAUTHN: gettext_lazy("security key"),
    Authenticator.Type.RECOVERY_CODES: gettext_lazy("recovery codes"),
}


@organizer_only
def people(request: PersonRequest) -> HttpResponseBase:
    """List the users: the staff unless asked for others; above them the roles that wait for another person."""
    asked = {name: str(request.GET.get(name, "")).strip() for name in ("q", "role")}
    rows = User.objects.order_by("username").annotate(
        protected=Exists(Authenticator.objects.filter(user=OuterRef("pk")).exclude(type="recovery_codes"))
    )
    if asked["role"] in Role.values:
        rows = rows.filter(role=asked["role"])
    elif not asked["q"]:
        rows = rows.exclude(role=Role.PLAYER)
    if asked["q"]:
        rows = rows.filter(username__icontains=asked["q"][:MOST_LETTERS].replace("\x00", ""))
    kept = urlencode({name: value for name, value in asked.items() if value})
    context = {
        "page": page_of(request, rows, PEOPLE_A_PAGE),
        "keep": f"{kept}&" if kept else "",
        "asked": asked,
        "roles": Role.choices,
        "proposals": _named(standing_roles().select_related("person", "proposed_by").order_by("proposed_at", "pk")),
        "person": request.user,
    }
    return render(request, "organizer/people.html", context)


@organizer_only
def one_person(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a user; propose another role."""
    user = get_object_or_404(User, pk=number)
    form = RoleForm(request.POST or None)
    if done_by_form(form, partial(propose_role, person=user, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:one_person", number=number)
    proposals = RoleProposal.objects.filter(person=user).order_by("-pk")
    factors = Authenticator.objects.filter(user=user).order_by("type").values_list("type", flat=True).distinct()
    latest = proposals.values_list("pk", flat=True).first()
    context = {
        "shown": user,
        "form": form,
        "factors": [FACTORS.get(factor, factor) for factor in factors],
        "proposals": _named(
            proposals.select_related("proposed_by", "decision__approved_by", "withdrawn")[:MOST_PROPOSALS]
        ),
        "latest": latest,
        "closing": standing_closing(user) if not user.is_active else None,
        "person": request.user,
    }
    return render(request, "organizer/person.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Give the role that another person proposed."""
    act = partial(approve_role, proposal_id=number, approved_by=request.user)
    do_by_button(request, act, said=_("The role is given; it holds at once."))
    return redirect("accounts:people")


@organizer_only
def withdraw(request: PersonRequest, number: int) -> HttpResponseBase:
    """Take back a role that one has proposed oneself."""
    act = partial(withdraw_role, proposal_id=number, withdrawn_by=request.user)
    do_by_button(request, act, said=_("The proposal is taken back."))
    return redirect("accounts:people")


def _named(proposals: QuerySet[RoleProposal]) -> list[tuple[RoleProposal, str | Promise]]:
    """Pair each proposal with the name of its role."""
    return [(proposal, Role(proposal.role).label) for proposal in proposals]

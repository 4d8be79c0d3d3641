"""Drafting pools and publishing rules: the organizer's paper work before anything is announced (A1, A3)."""

import json
from datetime import timedelta

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.drafting import TermsDocumentForm
from pools.forms.example_terms import example_terms, games
from pools.forms.organizing import FilingForm, RulesForm
from pools.models import CommissionKey, Game, PoolState, RulesText
from pools.services.drafting import draft_pool, redraft_pool
from pools.services.rules import publish_rules, record_filing
from pools.views.reading import pool_or_404
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal, told

UNTIL_OPENING, OPEN_FOR = timedelta(hours=1), timedelta(days=5)


@organizer_only
def draft_document(request: PersonRequest) -> HttpResponseBase:
    """Draft a pool from a terms document; `?game=` fills in one to start from."""
    game = request.GET.get("game", Game.SPORTLOTO_POSITION)
    form = TermsDocumentForm(request.POST or None, initial={"document": _example(game)})
    if form.is_bound and form.is_valid():
        try:
            pool = draft_pool(document=form.cleaned_data["document"], prepared_by=request.user)
        except DomainError as refusal:
            form.add_error("document", told(refusal))
        else:
            return redirect("pools:manage", code=pool.code)
    context = {"form": form, "games": games(), "game": game}
    return render(request, "organizer/draft.html", context, status=400 if form.errors else 200)


@organizer_only
def redraft(request: PersonRequest, code: str) -> HttpResponseBase:
    """Change the terms of a draft."""
    pool = pool_or_404(request, code)
    if pool.state != PoolState.DRAFT:
        return redirect("pools:manage", code=code)
    pretty = json.dumps(json.loads(pool.terms_text), ensure_ascii=False, indent=1)
    form = TermsDocumentForm(request.POST or None, initial={"document": pretty})
    if form.is_bound and form.is_valid():
        try:
            redraft_pool(code=code, document=form.cleaned_data["document"], prepared_by=request.user)
        except DomainError as refusal:
            form.add_error("document", told(refusal))
        else:
            messages.success(request, _("The draft is changed."))
            return redirect("pools:manage", code=code)
    return render(request, "organizer/draft.html", {"form": form, "pool": pool}, status=400 if form.errors else 200)


@organizer_only
def rules(request: PersonRequest) -> HttpResponseBase:
    """Publish a version of the rules text; list the versions and which are not noted as filed."""
    form = RulesForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            publish_rules(published_by=request.user, **form.cleaned_data)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The rules text is published."))
            return redirect("pools:publish_rules")
    versions = [
        (text, FilingForm(initial={"version": text.version})) for text in RulesText.objects.order_by("-valid_from")
    ]
    context = {"form": form, "versions": versions}
    return render(request, "organizer/rules.html", context, status=400 if form.errors else 200)


@organizer_only
def filing(request: PersonRequest) -> HttpResponseBase:
    """Note that a version of the rules was filed with the regulator."""
    form = FilingForm(request.POST or None)
    if form.is_bound and form.is_valid():
        record_filing(filed_by=request.user, **form.cleaned_data)
        messages.success(request, _("The filing is noted."))
    return redirect("pools:publish_rules")


def _example(game: str) -> str:
    keys = CommissionKey.objects.filter(revoked_at__isnull=True).order_by("created_at")
    opens_at = (clock.now() + UNTIL_OPENING).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    document = example_terms(
        game if game in Game.values else Game.SPORTLOTO_POSITION,
        opens_at=opens_at,
        closes_at=opens_at + OPEN_FOR,
        rules_version=_rules_in_force(),
        key_ids=[key.key_id for key in keys],
    )
    return json.dumps(document, ensure_ascii=False, indent=1)


def _rules_in_force() -> str:
    """Return the version that holds when a pool drafted now opens; the digest of nothing when there is none."""
    text = RulesText.objects.filter(valid_from__lte=clock.now() + UNTIL_OPENING).order_by("-valid_from").first()
    return text.version if text else "sha256:-"

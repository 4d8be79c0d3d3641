"""Tokens for one's own programs: made, shown once, revoked."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.models import ApiToken
from accounts.permissions import PersonRequest, seller_only
from accounts.services.api_tokens import create_token, revoke_token


@seller_only
def tokens(request: PersonRequest) -> HttpResponseBase:
    """List the tokens in force; a new one is shown on this page, and on no other."""
    made = None
    if request.method == "POST":
        made = create_token(user=request.user, name=request.POST.get("name", ""))
    standing = ApiToken.objects.filter(user=request.user, revoked_at__isnull=True).order_by("created_at")
    return render(request, "player/tokens.html", {"tokens": standing, "made": made})


@seller_only
def revoke(request: PersonRequest, number: int) -> HttpResponseBase:
    """Revoke one of them, and show the rest."""
    if request.method == "POST":
        revoke_token(user=request.user, token_id=number)
    return redirect("accounts:tokens")

"""Proving anew who one is before what cannot be undone, such as a withdrawal (E3)."""

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode


def requires_step_up(request: HttpRequest) -> bool:
    """Tell whether who asks must prove anew who they are.

    They must, unless they did so in the last five minutes: with the second factor, where they have set one.
    """
    if not did_recently_reauthenticate(request):
        return True
    if not is_mfa_enabled(request.user):
        return False
    proofs = [record for record in get_authentication_records(request, request.user) if record.get("reauthenticated")]
    return bool(proofs[-1]["method"] != "mfa")


def step_up_address(request: HttpRequest, back_to: str) -> str:
    """Return where who asks proves anew who they are, with what they have set, and comes back to `back_to`."""
    codes = [Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES]
    if is_mfa_enabled(request.user, codes):
        page = "mfa_reauthenticate"
    elif is_mfa_enabled(request.user):
        page = "mfa_reauthenticate_webauthn"
    else:
        page = "account_reauthenticate"
    return f"{reverse(page)}?{urlencode({'next': back_to})}"

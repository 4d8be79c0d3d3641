"""Proving anew who one is before what cannot be undone, such as a withdrawal (E3)."""

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest


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

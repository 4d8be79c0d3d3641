"""Whoever works here proves twice who they are: without a second factor a log-in opens its own pages alone (E3)."""

from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.models import Role
from accounts.permissions import role_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import MEDIA_TYPE, problem

# Logging in and out and the second factor itself, the language, the appearance.
_OPEN = ("/account/", "/i18n/", "/appearance/")


class StaffProveTwice:
    """Lead everybody but players to their second factor until one is set, where STAFF_SECOND_FACTOR asks for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or lead to the page where one is set."""
        if not settings.STAFF_SECOND_FACTOR or request.path.startswith(_OPEN):
            return self.get_response(request)
        if role_of(request) in (None, Role.PLAYER) or is_mfa_enabled(request.user):
            return self.get_response(request)
        message = _("Set a second factor first: without it this log-in opens nothing.")
        if request.path.startswith("/api/"):
            refusal = DomainError(Refusal.STEP_UP_NEEDED, message)
            return JsonResponse(problem(refusal), status=refusal.http_status, content_type=MEDIA_TYPE)
        messages.warning(request, message)
        return redirect("mfa_index")

"""The regulator's log-in reads what is its business and changes nothing, whatever a page would allow (N6)."""

from collections.abc import Callable

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from accounts.models import Role
from accounts.permissions import role_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import MEDIA_TYPE, problem, refusal_page

_READS = ("GET", "HEAD", "OPTIONS")
# Logging in and out, the own password and second factor, the language: what concerns the log-in itself.
_OWN = ("/account/", "/i18n/")


class InspectorsOnlyRead:
    """Refuse every request of the regulator's that is not a reading, before any page or API sees it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or refuse."""
        if request.method in _READS or request.path.startswith(_OWN) or role_of(request) != Role.REGULATOR:
            return self.get_response(request)
        refusal = DomainError(Refusal.NOT_ALLOWED, _("The regulator's log-in only reads."))
        if request.path.startswith("/api/"):
            return JsonResponse(problem(refusal), status=refusal.http_status, content_type=MEDIA_TYPE)
        return refusal_page(request, refusal)

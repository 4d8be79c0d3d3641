"""What is answered when the system itself fails: nothing was done, and whether to try again."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from psycopg.errors import ReadOnlySqlTransaction

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import MEDIA_TYPE, problem

RETRY_SECONDS = "2"


def answer_fault(request: HttpRequest) -> HttpResponse:
    """Answer an exception that nobody caught: 503 while the database is away, else 500, without a traceback.

    Django calls this while it handles the exception. No page here asks the database, not even who is logged in.
    """
    away = _is_away(sys.exc_info()[1])
    if request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(_body(away=away), status=503 if away else 500, content_type=MEDIA_TYPE)
    elif away:
        response = HttpResponse(render_to_string("503.html"), status=503)
    else:
        response = HttpResponse(render_to_string("500.html"), status=500)
    if away:
        response["Retry-After"] = RETRY_SECONDS
    return response


def _is_away(fault: BaseException | None) -> bool:
    """Tell whether there was no database, or one that was just made a standby and does not write any more."""
    return isinstance(fault, OperationalError | InterfaceError) or (
        fault is not None and isinstance(fault.__cause__, ReadOnlySqlTransaction)
    )


def _body(*, away: bool) -> dict[str, object]:
    if away:
        return problem(DomainError(Refusal.BUSY, _("The system is busy; please try again.")))
    return {
        "type": "/errors/#fault",
        "title": _("A fault of ours"),
        "status": 500,
        "code": "fault",
        "detail": _("Something went wrong on our side. Whether your act was done can be asked with the same key."),
    }

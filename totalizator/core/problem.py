"""Refusals at the edge: the one place that turns a `DomainError` into HTTP, for pages and for the API (RFC 9457)."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DataError
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.defaults import bad_request, page_not_found
from rest_framework import exceptions
from rest_framework.response import Response

from totalizator.core.engine_words import explain
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn
from totalizator.engine.errors import EngineError

MEDIA_TYPE = "application/problem+json"
WAYS_IN = "Bearer, TOTALIZATOR-1"  # a token, or a terminal's signature

TITLES: Mapping[str, str | Promise] = {
    Refusal.BAD_VALUE: _("A value is not as expected"),
    Refusal.NOT_FOUND: _("There is no such thing"),
    Refusal.NOT_ALLOWED: _("This is not yours to do"),
    Refusal.WRONG_STATE: _("Not possible in this state"),
    Refusal.SAME_PERSON: _("A second person is needed"),
    Refusal.BAD_TERMS: _("The terms cannot be announced"),
    Refusal.BAD_SELECTION: _("The selection is not readable"),
    Refusal.BAD_STAKE: _("The stake is not right"),
    Refusal.TOO_MANY_LINES: _("Too many lines in one coupon"),
    Refusal.NOT_OPEN_YET: _("The pool is not open yet"),
    Refusal.POOL_CLOSED: _("The pool is closed"),
    Refusal.INSUFFICIENT_FUNDS: _("There is not enough money"),
    Refusal.KEY_REUSED: _("The key was used for another request"),
    Refusal.CONFLICT: _("A conflict of interest"),
    Refusal.EVIDENCE_MISSING: _("There is no evidence"),
    Refusal.EVIDENCE_CHANGED: _("The evidence is not what was filed"),
    Refusal.LOG_BROKEN: _("The public log is broken"),
    Refusal.BUSY: _("The system is busy"),
    Refusal.RESULT_MISMATCH: _("The entries of the result differ"),
    Refusal.BAD_SIGNATURE: _("The signature was not made"),
    Refusal.QUORUM_MISSING: _("The commission is not complete"),
    Refusal.SETTLEMENT_DIFFERS: _("The two computations differ"),
    Refusal.NOT_PAYABLE_YET: _("Not payable yet"),
    Refusal.TERM_EXPIRED: _("The term of payment is over"),
    Refusal.ALREADY_PAID: _("Paid already"),
    Refusal.NOTHING_TO_PAY: _("Nothing to pay"),
    Refusal.WRONG_CODE: _("No ticket with this number and check code"),
    Refusal.NOT_VERIFIED: _("The identity is not verified"),
    Refusal.UNDER_AGE: _("Too young to take part"),
    Refusal.PERSON_KNOWN: _("This person has an account already"),
    Refusal.MAY_NOT_PLAY: _("This person may not play"),
    Refusal.REGISTER_STALE: _("It cannot be told whether this person may play"),
    Refusal.LIMIT_REACHED: _("A limit is reached"),
    Refusal.CONSENT_NEEDED: _("The rules have to be accepted first"),
    Refusal.ACCOUNT_BLOCKED: _("The account is blocked"),
    Refusal.THROTTLED: _("Too many tries"),
    Refusal.RATE_STALE: _("There is no rate of this currency for today"),
    Refusal.STEP_UP_NEEDED: _("Confirm once more who you are"),
    Refusal.ON_HOLD: _("Not yet: the account was changed lately"),
    Refusal.OTHER_WAY: _("Money goes back the way it came"),
    Refusal.PROVIDER_AWAY: _("The payment system does not answer"),
    Refusal.IDENTITY_NEEDED: _("A document must be shown"),
    Refusal.KEPT_BY_LAW: _("It has to be kept"),
    Refusal.REQUEST_NOT_SIGNED: _("The request is not signed"),
    Refusal.SWITCHED_OFF: _("It is switched off"),
    Refusal.NO_OPEN_SHIFT: _("No shift is open"),
    Refusal.NOT_CERTIFIED: _("No certificate in date"),
    Refusal.DOCUMENTS_MISSING: _("Documents are missing"),
    Refusal.CASH_LIMIT: _("The point holds too much cash"),
    Refusal.NO_AGREEMENT: _("No agreement in force"),
    Refusal.LINK_LOST: _("The link was lost"),
    Refusal.CLOCK_DRIFTS: _("The clock is wrong"),
    Refusal.SALES_PAUSED: _("Sales are paused"),
    Refusal.CARD_REFUSED: _("No usable card"),
    Refusal.CENTRAL_DESK_ONLY: _("Paid only at the central desk"),
    Refusal.APPROVAL_NEEDED: _("Another person has to approve it first"),
    Refusal.TICKET_HELD: _("The ticket is held"),
    Refusal.BEING_CORRECTED: _("The result is being corrected"),
    Refusal.PHONE_CODE_NEEDED: _("The code that was sent to the phone is needed"),
}

# Details of a refusal that are kopecks; the API writes every amount as text (C44).
_AMOUNTS = frozenset(
    {
        "amount",
        "available",
        "cap",
        "cash",
        "counted",
        "expected",
        "limit",
        "missing",
        "needed",
        "price",
        "threshold",
    }
)


def told(error: DomainError) -> str:
    """Say in the reader's language what was refused and what was expected."""
    cause = error.__cause__
    return explain(cause) if isinstance(cause, EngineError) else str(error.message)


def problem(error: DomainError) -> dict[str, Any]:
    """Write a refusal as the members of a problem document."""
    details = {
        name: plain_byn(value) if name in _AMOUNTS and isinstance(value, int) else value
        for name, value in error.details.items()
    }
    about = {"field": error.field} if error.field else {}
    return details | _problem(error.code.value, error.http_status, TITLES[error.code], told(error)) | about


def api_exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:  # noqa: ARG001
    """Answer every refusal of the API as problem JSON; a fault of ours stays a fault."""
    if isinstance(error, DomainError):
        body = problem(error)
    else:
        known = _framework_problem(error)
        if known is None:
            return None
        body = known
    return Response(body, status=body["status"], headers=_headers(body), content_type=MEDIA_TYPE)


def _headers(body: Mapping[str, Any]) -> dict[str, str]:
    """Say when to try again, or how to tell who asks, where HTTP has a header for it."""
    if body["status"] in (429, 503):
        return {"Retry-After": str(body.get("retry_after", 1))}
    return {"WWW-Authenticate": WAYS_IN} if body["status"] == 401 else {}


def refusal_page(request: HttpRequest, error: DomainError) -> HttpResponse:
    """Show a refusal as a page with the status it has."""
    return render(request, "refusal.html", {"problem": problem(error)}, status=error.http_status)


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that nothing is at: a page, or a problem document under /api/."""
    if request.path.startswith("/api/"):
        return JsonResponse(_framework_problem(Http404()), status=404, content_type=MEDIA_TYPE)
    return page_not_found(request, exception)


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what is no request that can be understood, before it came to a view: as `answer_not_found`."""
    if request.path.startswith("/api/"):
        return JsonResponse(_framework_problem(BadRequest()), status=400, content_type=MEDIA_TYPE)
    return bad_request(request, exception)


class RefusalMiddleware:
    """Show the refusals that a view does not show beside a field."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a refusal, and what cannot be looked up; leave every other exception to Django."""
        if isinstance(error, DomainError):
            return refusal_page(request, error)
        return answer_bad_request(request, error) if _asks_for_a_nul(request, error) else None


def add_refusal(form: BaseForm, error: DomainError) -> None:
    """Show a refusal beside the field at fault, or above the form when the form has no such field."""
    name = error.field if error.field in form.fields else None
    form.add_error(name, told(error))


def _asks_for_a_nul(request: HttpRequest, error: Exception) -> bool:
    """Tell whether a page looked for what its address holds, with a NUL in it, which no text of PostgreSQL has."""
    return isinstance(error, ValueError | DataError) and "\x00" in unquote(request.get_full_path())


def _problem(code: str, status: int, title: str | Promise, detail: object) -> dict[str, Any]:
    return {"type": f"/errors/#{code}", "title": str(title), "status": status, "code": code, "detail": str(detail)}


def _framework_problem(error: Exception) -> dict[str, Any] | None:
    """Write what Django and the REST framework refuse in the same form."""
    if isinstance(error, Http404 | exceptions.NotFound):
        return _problem("not_found", 404, TITLES[Refusal.NOT_FOUND], _("There is nothing at this address."))
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return _problem("not_logged_in", 401, _("Log in first"), _("This needs a log-in."))
    if isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        detail = getattr(error, "detail", None) or _("Your role cannot do this.")
        return _problem("not_allowed", 403, TITLES[Refusal.NOT_ALLOWED], detail)
    if isinstance(error, exceptions.ValidationError):
        return invalid(error)
    if isinstance(error, exceptions.Throttled):
        body = _problem("throttled", 429, TITLES[Refusal.THROTTLED], _("Too many requests; please wait."))
        return body | {"retry_after": max(1, ceil(getattr(error, "wait", None) or 1))}
    if isinstance(error, RequestDataTooBig):
        return _problem("body_too_large", 413, _("The request was not understood"), _("The form is too large."))
    if isinstance(error, BadRequest | SuspiciousOperation):
        return _problem("parse_error", 400, _("The request was not understood"), _("The body is no form."))
    if isinstance(error, exceptions.APIException):
        return _problem(str(error.default_code), error.status_code, _("The request was not understood"), error.detail)
    return None


def invalid(error: exceptions.ValidationError) -> dict[str, Any]:
    """Name the first field at fault, as a `DomainError` does, and list them all."""
    faults = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    listed = {str(name): _listed(texts) for name, texts in faults.items()}
    field, texts = next(iter(listed.items()))
    body = _problem("bad_value", 400, TITLES[Refusal.BAD_VALUE], texts[0])
    return body | {"field": field, "errors": listed}


def _listed(faults: Any) -> list[str]:
    """Return the texts of a field's faults, those inside it too."""
    if isinstance(faults, Mapping):
        return [f"{name}: {text}" for name, inner in faults.items() for text in _listed(inner)]
    if isinstance(faults, list):
        return [text for fault in faults for text in _listed(fault)]
    return [str(faults)]

"""`POST /payments/webhooks/<provider>/`: what payment systems tell us, signed (F1, U3)."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.services.provider_events import take_event
from accounts.services.providers.known import find_provider
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import MEDIA_TYPE, problem

MOST_BYTES = 64 * 1024


@csrf_exempt
@require_POST
def receive_webhook(request: HttpRequest, provider: str) -> HttpResponse:
    """Answer 200 to a message that is dealt with, now or before; 4xx to what is not theirs, 503 to come again."""
    try:
        system = find_provider(provider)
        event = system.verify_webhook(request.headers, _body(request), clock.now())
        new = take_event(provider=provider, event=event)
    except DomainError as refusal:
        return JsonResponse(problem(refusal), status=refusal.http_status, content_type=MEDIA_TYPE)
    return JsonResponse({"event_id": event.event_id, "new": new})


def _body(request: HttpRequest) -> bytes:
    """Read what may be signed; no payment system writes long messages."""
    length = request.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
        raise DomainError(Refusal.BAD_VALUE, _("The message is too long, or of unknown length."))
    return request.body

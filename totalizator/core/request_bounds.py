"""How large a request may be at all: refused by what it says of itself, before a byte of it is read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from totalizator.core.problem import MEDIA_TYPE


class RequestBounds:
    """Answer 413 to more than MOST_REQUEST_BYTES; a request that does not say its length has no body for Django.

    It stands behind the layer that knows the reader's language, and before all that read a body.
    Fields and files of a form have bounds of their own (`DATA_UPLOAD_*`), each kind of file too (docs/security.md).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or refuse the length."""
        said = request.META.get("CONTENT_LENGTH") or "0"
        if said.isascii() and said.isdigit() and int(said[:20]) <= settings.MOST_REQUEST_BYTES:
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return JsonResponse(_body(), status=413, content_type=MEDIA_TYPE)
        return HttpResponse(render_to_string("413.html"), status=413)


def _body() -> dict[str, object]:
    return {
        "type": "/errors/#body_too_large",
        "title": _("The request was not understood"),
        "status": 413,
        "code": "body_too_large",
        "detail": _("The form is too large."),
    }

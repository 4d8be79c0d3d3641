"""What an answer lets a browser do: hardly anything, whatever is injected into it and whichever layer gives it."""

from collections.abc import Callable

from csp.constants import HEADER as POLICY
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Powers that no page here uses. Keys of the second factor (WebAuthn) are the one power that pages do use.
UNUSED = (
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
)
USED = ("publickey-credentials-create", "publickey-credentials-get")
PERMISSIONS = ", ".join([*(f"{power}=()" for power in UNUSED), *(f"{power}=(self)" for power in USED)])


class BrowserRights:
    """The outermost layer: say what a page may load, name the powers, keep answers from other sites' pages.

    Django's own layers write most of it too; a refusal that one of them gives by itself has it from here. The policy of
    what may be loaded is the same for every answer: it is written once, and django-csp needs no layer of its own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._headers = {
            POLICY: build_policy(),
            "Permissions-Policy": PERMISSIONS,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
            "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": settings.X_FRAME_OPTIONS,
        }

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and add what the answer does not say yet."""
        response = self.get_response(request)
        for name, value in self._headers.items():
            response.headers.setdefault(name, value)
        return response

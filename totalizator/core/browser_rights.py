"""What a page may ask of the browser: hardly anything, whatever is injected into it."""

from collections.abc import Callable

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
    """Name the powers in `Permissions-Policy`, and keep what is answered from other sites' pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

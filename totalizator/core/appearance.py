"""Light or dark, as the reader chose: kept in a cookie, so that the page comes in it at once and without a script."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = f"{settings.COOKIE_PREFIX}appearance"
AS_THE_DEVICE = "device"
APPEARANCES = (AS_THE_DEVICE, "light", "dark")
_YEAR = 31_536_000


def chosen_appearance(request: HttpRequest) -> str:
    """Return what the reader chose, else that the page follows the device."""
    chosen = request.COOKIES.get(COOKIE, AS_THE_DEVICE)
    return chosen if chosen in APPEARANCES else AS_THE_DEVICE


def on_every_page(request: HttpRequest) -> dict[str, str]:
    """Give templates the choice as `appearance`."""
    return {"appearance": chosen_appearance(request)}


@require_POST
def choose_appearance(request: HttpRequest) -> HttpResponse:
    """Keep the choice and go back to the page it was made on."""
    back = request.POST.get("next", "")
    here = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    answer = HttpResponseRedirect(back if here else "/")
    chosen = request.POST.get("appearance", "")
    if chosen in APPEARANCES:
        secure = settings.SESSION_COOKIE_SECURE
        answer.set_cookie(COOKIE, chosen, max_age=_YEAR, secure=secure, httponly=True, samesite="Lax")
    return answer

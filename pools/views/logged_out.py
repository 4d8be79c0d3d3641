"""A coupon outlives a log-in that has ended or was never made: after the next one it is there again."""

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from pools.forms.coupon import as_marked
from pools.models import Pool
from pools.views.reading import pool_or_404

View = Callable[[HttpRequest, str], HttpResponseBase]


def keeps_coupon(view: View) -> View:
    """Ask who posts a coupon without being logged in to do so, and go on where they were."""

    @wraps(view)
    def guarded(request: HttpRequest, code: str) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            messages.info(request, _("Log in to bet. What you marked is kept."))
            return redirect_to_login(_to_go_on(request, pool_or_404(request, code)))
        return view(request, code)

    return guarded


def _to_go_on(request: HttpRequest, pool: Pool) -> str:
    """Return the address of the coupon: read back, with the same token, where it was about to be paid (C36)."""
    posted = request.POST
    if "token" in posted:
        kept = {name: posted.get(name, "") for name in ("selections", "stake", "token")}
        return f"{reverse('pools:coupon', args=[pool.code])}?{urlencode(kept)}"
    return marked_address(pool, as_marked(pool.terms, posted), posted.get("stake", ""))


def marked_address(pool: Pool, selections: str, stake: str = "") -> str:
    """Return the address of the pool's page with a coupon marked on it."""
    kept = {"coupon": selections} | ({"stake": stake} if stake else {})
    return f"{reverse('pools:pool', args=[pool.code])}?{urlencode(kept)}"

"""What nobody has come for yet: public totals, and for who holds a ticket whether it is among it (X10)."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from payouts.queries.unclaimed import (
    UnclaimedSum,
    summed_by_point,
    summed_by_pool,
    summed_by_term,
    unclaimed_lately,
)
from payouts.views.ticket_lookup import look_up
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.names import localized
from totalizator.core.paging import page_of

ROWS_A_PAGE = 50
SUMMED = {"pool": summed_by_pool, "point": summed_by_point, "term": summed_by_term}


@never_cache
def unclaimed(request: HttpRequest) -> HttpResponseBase:
    """Show the totals, summed as the address asks; a POST asks about one ticket, and changes nothing."""
    form, status, code = look_up(request)
    found = unclaimed_lately(clock.now())
    by = request.GET.get("by", "")
    by = by if by in SUMMED else "pool"
    sums = SUMMED[by](found)
    page = page_of(request, sums, ROWS_A_PAGE)
    context = {
        "form": form,
        "status": status,
        "pool": status.bet.pool if status else None,
        "by": by,
        "tabs": _tabs(by),
        "page": page,
        "rows": _named(by, list(page.object_list)),
        "keep": f"by={by}&",
        "total": sum(each.amount for each in sums),
        "tickets": sum(each.tickets for each in sums),
        "first_end": min((each.until for each in sums if each.until is not None), default=None),
    }
    return render(request, "payouts/unclaimed.html", context, status=code)


def _tabs(by: str) -> list[tuple[str, str, bool]]:
    labels = {"pool": _("By pool"), "point": _("By betting point"), "term": _("By last day")}
    here = reverse("payouts:unclaimed")
    return [(label, f"{here}?by={name}", name == by) for name, label in labels.items()]


def _named(by: str, sums: list[UnclaimedSum]) -> list[tuple[UnclaimedSum, str]]:
    """Pair the sums of a page with what they are called."""
    if by != "pool":
        return [(each, each.name) for each in sums]
    pools = {pool.code: pool for pool in Pool.objects.filter(code__in=[each.key for each in sums])}
    return [(each, localized(pools[each.key].terms.pool.name)) for each in sums]

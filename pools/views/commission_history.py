"""What a member took part in: each version of each protocol, whom it follows, who signed and who disagreed (H2, H5)."""

from urllib.parse import urlencode

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.permissions import PersonRequest, commission_only
from pools.models import Pool
from pools.services.protocol_chain import chain_of
from totalizator.core.paging import page_of

POOLS_A_PAGE = 20


@commission_only
def history(request: PersonRequest) -> HttpResponseBase:
    """List the member's pools that have a protocol, those closed last first; one is found by its code."""
    code = request.GET.get("code", "").strip()[:60].replace("\x00", "")
    pools = Pool.objects.filter(members__member=request.user, protocols__version=1)
    if code:
        pools = pools.filter(code__icontains=code)
    page = page_of(request, pools.order_by("-closes_at", "-pk"), POOLS_A_PAGE)
    shown = list(page)
    chain, keep = chain_of(shown), f"{urlencode({'code': code})}&" if code else ""
    context = {"page": page, "rows": [(pool, chain[pool.pk]) for pool in shown], "code": code, "keep": keep}
    return render(request, "commission/history.html", context)

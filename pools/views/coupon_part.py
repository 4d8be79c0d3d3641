"""The coupon on a pool's page: the grid, what it costs so far, and the player's earlier coupons."""

from collections.abc import Sequence
from typing import cast

from django.http import HttpRequest, QueryDict

from accounts.models import Role, User
from accounts.permissions import role_of
from pools.forms.coupon import GridRow, marks_of
from pools.models import Pool
from pools.queries.past_coupons import past_coupons
from pools.services.quoting import QuoteSoFar, quote_so_far
from totalizator.core.errors import DomainError
from totalizator.core.money import parse_byn
from totalizator.core.problem import told


def coupon_part(
    request: HttpRequest, pool: Pool, rows: Sequence[GridRow], sent: QueryDict | None = None
) -> dict[str, object]:
    """Return what `pools/coupon.html` shows to who may bet, and to who would have to log in first."""
    role, sent = role_of(request), sent if sent is not None else QueryDict()
    marks = ["+".join(row.marked) for row in rows]
    return {
        "role": role,
        "rows": rows,
        "past": past_coupons(cast(User, request.user), pool) if role == Role.PLAYER else [],
        "sent": sent,
        **priced(pool, marks, str(sent.get("stake", ""))),
    }


def priced_as_posted(pool: Pool, posted: QueryDict) -> dict[str, object]:
    """Return what `pools/price.html` tells of a grid as it is marked now."""
    return priced(pool, marks_of(pool.terms, posted), str(posted.get("stake", "")))


def priced(pool: Pool, marks: Sequence[str], stake: str) -> dict[str, object]:
    """Price marks with the engine; say what is wrong with them instead, where they cannot be priced."""
    try:
        typed = parse_byn(stake, field="stake") if stake.strip() and pool.terms.price.line is None else None
        quote: QuoteSoFar | None = quote_so_far(pool, marks, typed)
    except DomainError as refusal:
        return {"quote": None, "fault": told(refusal)}
    return {"quote": quote, "fault": "", "stake": typed}

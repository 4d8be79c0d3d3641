"""The cash of a till and of its point, with the bank's limit: in sight on every page of a cashier (¶9.6)."""

from accounts.ledger.balances import balance
from accounts.models import Shift, Till
from accounts.queries.desks import cash_at_point, desk_standing
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

_NEAR_LIMIT = 90  # per cent


def cash_of(till: Till) -> dict[str, object]:
    """Return what `cashier/cash.html` shows; amounts in kopecks."""
    limit = desk_standing(till.pk, None, legal_day(clock.now())).cash_limit
    at_point = cash_at_point(till.point_id)
    return {
        "till": till,
        "cash": balance(till.ledger_account),
        "at_point": at_point,
        "limit": limit,
        "near_limit": limit is not None and at_point * 100 >= limit * _NEAR_LIMIT,
        "shift": Shift.objects.filter(till=till, closed_at__isnull=True).first(),
    }

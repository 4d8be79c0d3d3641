"""The organizer's page of the guarantee sum: what players could ask for, against what lies in the bank (F3)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.ledger.kinds import AccountKind
from accounts.permissions import PersonRequest, organizer_only
from payouts.services.guarantee import check_guarantee
from totalizator.core import clock
from totalizator.core.acting import do_by_button
from totalizator.core.models import JournalRecord

DAYS_SHOWN = 14


@organizer_only
def guarantee(request: PersonRequest) -> HttpResponseBase:
    """Show the latest sum, part by part, and those of the days before."""
    checks = _checks()
    latest = checks[0] if checks else None
    context = {
        "latest": latest,
        "told": latest.after if latest is not None else None,
        "parts": _parts(latest.after) if latest is not None and latest.after else [],
        "checks": [(check, check.after) for check in checks],
    }
    return render(request, "organizer/money/guarantee.html", context)


@organizer_only
def compute(request: PersonRequest) -> HttpResponseBase:
    """Compute the sum now, on one snapshot; it is journalled as the daily one is."""
    do_by_button(request, partial(check_guarantee, actor=request.user.actor), said=_("The guarantee sum is computed."))
    return redirect("payouts:guarantee")


def _checks() -> Sequence[JournalRecord]:
    """Return the checks of the last days, the newest first, found by their subjects."""
    today = clock.today()
    subjects = [f"guarantee:{(today - timedelta(days=back)).isoformat()}" for back in range(DAYS_SHOWN)]
    records = JournalRecord.objects.filter(subject__in=subjects, act="check_guarantee")
    return list(records.order_by("-pk")[: 2 * DAYS_SHOWN])


def _parts(after: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Return each debt's name, its sum by its own rows, and by the ledger."""
    return [(str(AccountKind(kind).label), *map(int, sums)) for kind, sums in after["parts"].items()]  # type: ignore[misc]

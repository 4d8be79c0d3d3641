"""The second screen, which the customer sees: what a check said, without any code, while it is dealt with (C7)."""

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.permissions import PersonRequest, cashier_only
from payouts.queries.ticket_scans import verdict_of
from payouts.services.ticket_scans import scan_on_screen
from payouts.views.desk.frame import till_of


@cashier_only
def customer(request: PersonRequest) -> HttpResponseBase:
    """Show the second screen; it asks for what is new by itself."""
    return render(request, "cashier/customer.html", _last(request))


@cashier_only
def customer_now(request: PersonRequest) -> HttpResponseBase:
    """Show what the last check said, alone."""
    return render(request, "cashier/customer_now.html", _last(request))


def _last(request: PersonRequest) -> dict[str, object]:
    till = till_of(request)
    scan = scan_on_screen(till)
    return {"till": till, "scan": scan, "told": verdict_of(scan) if scan is not None else None}

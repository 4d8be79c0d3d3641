"""What a cashier does next after a refusal."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

_NEXT: Mapping[Refusal, Promise] = {
    Refusal.NO_OPEN_SHIFT: _("Open the shift: F9."),
    Refusal.CASH_LIMIT: _("Hand cash over to the cash desk: F8. Then sell."),
    Refusal.INSUFFICIENT_FUNDS: _("Ask the cash desk for cash, or send the customer to another till."),
    Refusal.CENTRAL_DESK_ONLY: _("Give the ticket back, and say where it is paid. The customer brings a passport."),
    Refusal.APPROVAL_NEEDED: _("Keep the customer here: one of the staff approves it, then check the ticket again."),
    Refusal.ALREADY_PAID: _("Pay nothing. Print the slip: it says where and when it was paid."),
    Refusal.TICKET_HELD: _("Pay nothing, and call the supervisor."),
    Refusal.THROTTLED: _("Too many wrong codes came from this desk: wait, then read the code once more."),
    Refusal.BUSY: _("Send the same form once more: nothing is done twice."),
    Refusal.POOL_CLOSED: _("Give the money back: this pool takes no bets any more."),
    Refusal.SALES_PAUSED: _("Give the money back: sales are stopped for now."),
}


def next_step(refusal: DomainError) -> str:
    """Say what to do after a refusal; empty where the refusal says it all."""
    return str(_NEXT.get(refusal.code, ""))

"""A ticket that is claimed as lost is paid to nobody who just brings it (K4)."""

from django.utils.translation import gettext_lazy as _

from payouts.queries.ticket_claims import live_claims
from pools.models import Bet
from totalizator.core.errors import DomainError, Refusal


def refuse_held(bet: Bet) -> None:
    """Refuse a ticket that somebody has claimed as lost or damaged; the desk calls the supervisor.

    :raises DomainError: TICKET_HELD.
    """
    if live_claims(bet.pool_id, bet.ticket).exists():
        message = _("This ticket is reported as lost or damaged. Call the supervisor; do not pay it.")
        raise DomainError(Refusal.TICKET_HELD, message, field="ticket")

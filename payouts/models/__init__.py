"""What the organizer owes on tickets, and the payments made."""

from payouts.models.agent_commissions import AgentCommission, CommissionsPosted
from payouts.models.bookings import Booking
from payouts.models.cash_wishes import CashWish
from payouts.models.payables import MOVES, Payable, PayableKind, PayableState, Payment, PaymentMethod

__all__ = [
    "MOVES",
    "AgentCommission",
    "Booking",
    "CashWish",
    "CommissionsPosted",
    "Payable",
    "PayableKind",
    "PayableState",
    "Payment",
    "PaymentMethod",
]

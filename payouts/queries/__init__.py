"""What the jobs and the pages ask about money going out."""

from payouts.queries.certificates import Figure, MoneyCertificate, money_certificate
from payouts.queries.due import pools_due_to_book, pools_due_to_credit, pools_due_to_expire
from payouts.queries.jackpot import (
    JACKPOTS,
    JackpotMove,
    jackpot_balance,
    jackpot_history,
    jackpot_undrawn_this_year,
)
from payouts.queries.tickets import TicketStanding, TicketStatus, find_ticket, ticket_status

__all__ = [
    "JACKPOTS",
    "Figure",
    "JackpotMove",
    "MoneyCertificate",
    "TicketStanding",
    "TicketStatus",
    "find_ticket",
    "jackpot_balance",
    "jackpot_history",
    "jackpot_undrawn_this_year",
    "money_certificate",
    "pools_due_to_book",
    "pools_due_to_credit",
    "pools_due_to_expire",
    "ticket_status",
]

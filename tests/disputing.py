"""What two of the staff decide about bets, and what players dispute."""

from accounts.models import User
from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from pools.models import BetCancellation, BetCancellationProposal
from tests.making import make_organizers


def proposed(ticket: str, by: User | None = None) -> BetCancellationProposal:
    """A bet that one person proposes to cancel."""
    return propose_bet_cancellation(
        ticket=ticket,
        reason="Made by a member of the commission.",
        document="Act 1",
        proposed_by=by or make_organizers()[0],
    )


def cancelled(ticket: str) -> BetCancellation:
    """A bet that two people have cancelled."""
    one, other = make_organizers()
    return approve_bet_cancellation(proposal=proposed(ticket, one), approved_by=other)

"""Games that two people end."""

from accounts.models import GameEnd, GameEndProposal, User
from payouts.services.game_ends import approve_game_end, propose_game_end
from tests.cancelled_pools import deciders
from tests.desks import SCAN
from totalizator.core import clock


def proposed(game: str = "totolot", to: str = "sportloto", by: User | None = None) -> GameEndProposal:
    """A game that one person proposes to end, its jackpot to go to another."""
    first, _second = deciders()
    return propose_game_end(
        game=game,
        jackpot_to=to,
        reason="Nobody plays it.",
        number="17-A",
        dated=clock.today(),
        content=SCAN,
        proposed_by=by or first,
    )


def ended(proposal: GameEndProposal) -> GameEnd:
    """The same, approved by another person."""
    return approve_game_end(proposal=proposal, approved_by=deciders()[1])

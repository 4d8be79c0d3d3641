"""What two people decide about money that ends in a jackpot."""

from payouts.services.game_ends import approve_game_end
from payouts.services.refund_lapses import approve_refund_lapse
from payouts.tasks import book_due_payables
from tests.approving.waiting import Waiting
from tests.cancelled_pools import cancel, go_past_the_limitation, proposed_lapse
from tests.ending_games import proposed
from tests.fakes.provider import FakeProvider
from tests.making import bet_in_cash, make_organizers, make_pool, make_till


def lapsed_refunds(_provider: FakeProvider) -> Waiting:
    """The stake of a cancelled pool that nobody collected in the limitation term."""
    pool, (one, _other) = make_pool("sportloto-variant"), make_organizers()
    bet_in_cash(pool, make_till(), "1", 100)
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    proposal = proposed_lapse(pool, one)
    return Waiting(one, lambda by: approve_refund_lapse(proposal=proposal, approved_by=by), "approve_refund_lapse")


def the_end_of_a_game(_provider: FakeProvider) -> Waiting:
    """Totolot, whose jackpot shall go to Sportloto's."""
    one, _other = make_organizers()
    proposal = proposed(by=one)
    return Waiting(one, lambda by: approve_game_end(proposal=proposal, approved_by=by), "approve_game_end")

"""Pools that two people cancelled, and how their refunds stand."""

from accounts.models import Role, User
from payouts.models import RefundLapse, RefundLapseProposal
from payouts.queries.refund_terms import limitation_end
from payouts.queries.refunds import RefundRegister, refund_register
from payouts.services.refund_lapses import approve_refund_lapse, propose_refund_lapse
from pools.models import Cancellation, Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.making import make_user
from tests.paying import go_to
from totalizator.core import clock


def deciders() -> tuple[User, User]:
    """Two people of the organizer's staff, the same ones at every call."""
    known = [User.objects.filter(username=name).first() or make_user(Role.ORGANIZER, name) for name in ("ada", "bela")]
    return known[0], known[1]


def cancel(pool: Pool) -> Cancellation:
    """A pool that two people have cancelled."""
    one, other = deciders()
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    return approve_cancellation(code=pool.code, approved_by=other)


def go_past_the_limitation(cancellation: Cancellation) -> None:
    """Move the clock to the first instant at which two people may decide."""
    go_to(limitation_end(cancellation.cancelled_at))


def proposed_lapse(pool: Pool, by: User | None = None) -> RefundLapseProposal:
    """Refunds nobody collected that one person proposes for the jackpot."""
    return propose_refund_lapse(code=pool.code, document="Order 5", proposed_by=by or deciders()[0])


def lapsed(proposal: RefundLapseProposal) -> RefundLapse:
    """The same, approved by another person."""
    return approve_refund_lapse(proposal=proposal, approved_by=deciders()[1])


def register_of(pool: Pool) -> RefundRegister:
    """The register as it stands now."""
    return refund_register(pool, at=clock.now())

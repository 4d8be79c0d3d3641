"""What two people decide about winnings and bets, made ready to be approved."""

from datetime import timedelta
from functools import partial

from payouts.queries.corrections import overpaid_cases
from payouts.services import ticket_claims
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.extending import approve_extension, propose_extension
from payouts.services.large_payments import approve_large_payment
from payouts.services.overpaid import approve_overpaid, propose_overpaid
from payouts.services.publishing_winners import Agreed, approve_publication, consent_on_paper, propose_publication
from tests import disputing
from tests.approving.waiting import Waiting
from tests.claiming import claimed, make_central, prepared, won
from tests.correcting import make_right
from tests.fakes.provider import FakeProvider
from tests.making import (
    bet_in_cash,
    make_organizers,
    make_pool,
    make_till,
)
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber
from totalizator.engine.deadlines import legal_day


def an_extension(_provider: FakeProvider) -> Waiting:
    (one, _other), (pool, _slip) = make_organizers(), won(make_till(1_000))
    last_day = legal_day(payable_until(pool)) + timedelta(days=4)
    told = {"reason": "The points were shut", "document": "Order 7", "proposed_by": one}
    extension = propose_extension(code=pool.code, last_day=last_day, **told)  # type: ignore[arg-type]
    return Waiting(one, lambda by: approve_extension(extension=extension, approved_by=by), "approve_extension")


def a_large_payment(_provider: FakeProvider) -> Waiting:
    LegalNumber.objects.create(
        name="large_winning_from", valid_from=clock.today(), value="700", source="A test's threshold"
    )
    forget_legal_numbers()
    till = make_central(make_till(10_000))
    pool, slip = won(till, 1_000)
    go_to(payable_from(pool))
    payment = prepared(slip, till)
    assert till.cashier is not None
    approve = partial(approve_large_payment, payment=payment)
    return Waiting(till.cashier, lambda by: approve(approved_by=by), "approve_large_payment")


def a_ticket_claim(_provider: FakeProvider) -> Waiting:
    till, (one, _other) = make_till(1_000), make_organizers()
    _pool, slip = won(till)
    claim = claimed(slip, till)
    proposal = ticket_claims.propose_decision(claim=claim, grant=True, reason="As the tape shows", proposed_by=one)
    approve = partial(ticket_claims.approve_decision, proposal=proposal)
    return Waiting(one, lambda by: approve(approved_by=by), "grant_ticket_claim")


def a_bet_cancellation(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    ticket = bet_in_cash(make_pool(), make_till(), "1;1;1", 100).bet.ticket
    proposal = disputing.proposed(ticket, one)
    approve = partial(approve_bet_cancellation, proposal=proposal)
    return Waiting(one, lambda by: approve(approved_by=by), "approve_bet_cancellation")


def a_settled_bets_cancellation(_provider: FakeProvider) -> Waiting:
    (one, _other), pool = make_organizers(), make_pool()
    ticket = bet_in_cash(pool, make_till(), "1;1;1", 100).bet.ticket
    settle(pool, "1;1;1")
    proposal = disputing.proposed(ticket, one)
    approve = partial(approve_bet_cancellation, proposal=proposal)
    return Waiting(one, lambda by: approve(approved_by=by), "approve_bet_cancellation")


def an_overpaid_winning(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip, _slip = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(slip, till)
    make_right(pool, "X")
    apply_correction(code=pool.code)
    told = {"reason": "The slip of the pen", "document": "Act 5"}
    ticket, kind = slip.bet.ticket, overpaid_cases().get(pool=pool).kind
    proposal = propose_overpaid(ticket=ticket, kind=kind, reclaim=True, proposed_by=one, **told)
    return Waiting(one, lambda by: approve_overpaid(proposal=proposal, approved_by=by), "approve_overpaid")


def a_publication(_provider: FakeProvider) -> Waiting:
    (one, _other), (_pool, slip) = make_organizers(), won(make_till(1_000))
    agreed = Agreed(name="Янка К.", amount=True)
    consent = consent_on_paper(ticket=slip.bet.ticket, agreed=agreed, paper=b"%PDF-1.7 signed", taken_by=one)
    proposal = propose_publication(consent=consent, proposed_by=one)
    return Waiting(one, lambda by: approve_publication(proposal=proposal, approved_by=by), "approve_publication")

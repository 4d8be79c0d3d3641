"""What two people decide about pools, keys, receipts, forms and subscribers, made ready to be approved."""

from datetime import timedelta
from functools import partial

from accounts.models import Outcome
from pools.models import WhyRefused
from pools.services import receipt_decisions
from pools.services.abandoning import approve_abandonment, propose_abandonment
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.drafting import announce_pool, draft_pool
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.paper_forms import approve_form, enter_faulty_form
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from pools.services.subscribers import approve_stop, approve_subscriber, propose_stop, propose_subscriber
from tests.approving.waiting import Waiting
from tests.banking import transfer
from tests.correcting import enter_correction
from tests.fakes.provider import FakeProvider
from tests.making import (
    account_of,
    bet_in_cash,
    make_commission,
    make_organizers,
    make_player,
    make_pool,
    make_rules,
    make_terms,
    make_till,
)
from tests.paper import enter, issue
from tests.settling import settle
from totalizator.core import clock


def an_announcement(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    terms = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        rules_version=make_rules(one),
        keys=make_commission(),
    )
    code = draft_pool(document=terms, prepared_by=one).code
    return Waiting(one, lambda by: announce_pool(code=code, announced_by=by), "announce_pool")


def a_lost_key(_provider: FakeProvider) -> Waiting:
    (one, _other), (key, *_keys) = make_organizers(), make_commission()
    proposal = propose_key_revocation(key_id=key.key_id, reason="Lost.", proposed_by=one)
    approve = partial(approve_key_revocation, key_id=key.key_id, number=proposal.pk)
    return Waiting(one, lambda by: approve(approved_by=by), "revoke_key")


def a_cancellation(_provider: FakeProvider) -> Waiting:
    (one, _other), pool = make_organizers(), make_pool()
    bet_in_cash(pool, make_till(), "1;1;1", 100)
    propose_cancellation(code=pool.code, reason="Rain.", document="17", proposed_by=one)
    return Waiting(one, lambda by: approve_cancellation(code=pool.code, approved_by=by), "approve_cancellation")


def a_receipt(_provider: FakeProvider) -> Waiting:
    (one, _other), receipt = make_organizers(), transfer(250, "no words")
    proposal = receipt_decisions.propose_decision(
        line_id=receipt.pk,
        outcome=Outcome.GAME_ACCOUNT,
        target=receipt_decisions.Target(account=account_of(make_player())),
        reason="Looked at.",
        document="Act 1",
        proposed_by=one,
    )
    approve = partial(receipt_decisions.approve_decision, proposal=proposal)
    return Waiting(one, lambda by: approve(approved_by=by), "approve_receipt_decision")


def a_paper_form(_provider: FakeProvider) -> Waiting:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = enter(pool, till, issue(till).first).number
    assert till.cashier is not None
    return Waiting(till.cashier, lambda by: approve_form(number=number, approved_by=by), "approve_form")


def a_form_to_jackpot(_provider: FakeProvider) -> Waiting:
    till, (one, _other) = make_till(), make_organizers()
    number, why = issue(till).first, WhyRefused.UNREADABLE
    assert till.cashier is not None
    enter_faulty_form(number=number, why=why, stake=200, written_at=None, note="Wet", cashier=till.cashier)
    propose_form_to_jackpot(number=number, reason="No owner", proposed_by=one)
    approve = partial(approve_form_to_jackpot, number=number)
    return Waiting(one, lambda by: approve(approved_by=by), "approve_form_to_jackpot")


def a_subscriber(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    new = propose_subscriber(name="the state", url="https://example.org/events", proposed_by=one)
    approve = partial(approve_subscriber, number=new.subscriber.pk)
    return Waiting(one, lambda by: approve(approved_by=by), "approve_subscriber")


def a_stop(_provider: FakeProvider) -> Waiting:
    one, other = make_organizers()
    number = propose_subscriber(name="the state", url="https://example.org/events", proposed_by=one).subscriber.pk
    approve_subscriber(number=number, approved_by=other)
    propose_stop(number=number, reason="Over.", proposed_by=one)
    return Waiting(one, lambda by: approve_stop(number=number, approved_by=by), "approve_stop")


def an_abandonment(_provider: FakeProvider) -> Waiting:
    (one, _other), pool = make_organizers(), make_pool("sportloto-variant")
    settle(pool, "1")
    enter_correction(pool, "2")
    proposal = propose_abandonment(code=pool.code, reason="There was no error.", proposed_by=one)
    return Waiting(one, lambda by: approve_abandonment(proposal=proposal, approved_by=by), "approve_abandonment")

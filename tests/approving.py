"""Everything that one person begins and another approves, each made ready to be approved (R1).

A new service of this kind has to be told here; `tests/concurrency/test_approvals.py` and
`tests/integration/test_two_people.py` try all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from accounts.models import BankLine, HeldDeposit, LimitKind, LimitPeriod, Outcome, Role, User
from accounts.services.bank_doubts import approve_doubt, doubtful_lines, propose_doubt
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from accounts.services.card_batches import approve_card_batch, propose_card_batch
from accounts.services.card_replacing import approve_replacement, propose_replacement
from accounts.services.deposit_returns import approve_return, propose_return
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from accounts.services.register_shrinkage import approve_shrunken, propose_shrunken
from accounts.services.restricted_register import import_register
from accounts.services.roles import approve_role, propose_role
from accounts.services.sending import send_withdrawal
from accounts.services.trial_accounts import approve_trial, propose_trial
from accounts.services.withdrawal_decisions import approve_end, propose_end
from accounts.services.withdrawals import approve_withdrawal
from payouts.services import ticket_claims
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.extending import approve_extension, propose_extension
from payouts.services.large_payments import approve_large_payment
from pools.models import WhyRefused
from pools.services import receipt_decisions
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.drafting import announce_pool, draft_pool
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.paper_forms import approve_form, enter_faulty_form
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from pools.services.subscribers import approve_stop, approve_subscriber, propose_stop, propose_subscriber
from tests import disputing
from tests.banking import csv_line, take_in, transfer
from tests.carding import at_point, bought
from tests.claiming import claimed, make_central, prepared, won
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
    make_user,
)
from tests.paper import enter, issue
from tests.paying import go_to, payable_from, payable_until
from tests.settling import settle
from tests.topping_up import ask_back, begin, deposit_by, hear, named_bank
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber
from totalizator.engine.deadlines import legal_day


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: who began it, how another approves it, and the act that one approval journals, in `rows` rows."""

    first: User
    approve: Callable[[User], object]
    act: str
    rows: int = 1


def an_ended_withdrawal(provider: FakeProvider) -> Waiting:
    player, (one, _other) = make_player(), make_organizers()
    withdrawal = ask_back(player, 500, deposit_by(provider, player, 500))
    provider.silent = True
    send_withdrawal(withdrawal=withdrawal)
    proposal = propose_end(withdrawal=withdrawal, paid=False, document="Letter 8", proposed_by=one)
    return Waiting(one, lambda by: approve_end(proposal=proposal, approved_by=by), "approve_withdrawal_end")


def _held(provider: FakeProvider) -> HeldDeposit:
    player = make_player()
    reference = begin(player, 1_000)
    set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1, actor="test")
    assert hear(provider.message("deposit", reference))[0] == 200
    return HeldDeposit.objects.get(deposit__account__player=player)


def a_return(provider: FakeProvider) -> Waiting:
    held, (one, _other) = _held(provider), make_organizers()
    proposal = propose_return(held=held, reason="Letter 7", proposed_by=one)
    return Waiting(one, lambda by: approve_return(proposal=proposal, approved_by=by), "approve_deposit_return")


def a_return_by_document(provider: FakeProvider) -> Waiting:
    held, (one, _other) = _held(provider), make_organizers()
    proposal = propose_return(held=held, reason="Letter 7", document="Letter 7", proposed_by=one)
    return Waiting(one, lambda by: approve_return(proposal=proposal, approved_by=by), "approve_deposit_return")


def a_withdrawal(_provider: FakeProvider) -> Waiting:
    player = make_player(500_000)
    withdrawal = ask_back(player, 400_000, named_bank(player))
    approve = partial(approve_withdrawal, withdrawal=withdrawal)
    return Waiting(player, lambda by: approve(approved_by=by), "approve_withdrawal")


def a_trial_account(_provider: FakeProvider) -> Waiting:
    account, (one, _other) = account_of(make_player(may_bet=False)), make_organizers()
    propose_trial(account=account, reason="To try the system.", proposed_by=one)
    return Waiting(one, lambda by: approve_trial(account=account, approved_by=by), "approve_trial_account")


def a_shrunken_register(_provider: FakeProvider) -> Waiting:
    whole = "\n".join(["identity_number;until", *(f"SHRINK{number:05};" for number in range(40))])
    import_register(text=whole, as_of=clock.now(), actor="test")
    (one, _other), text = make_organizers(), "identity_number;until\nSHRINK00001;"
    propose_shrunken(text=text, reason="An amnesty.", proposed_by=one)
    return Waiting(one, lambda by: approve_shrunken(text=text, approved_by=by), "approve_shrunken_register")


def a_replaced_card(_provider: FakeProvider) -> Waiting:
    till, (one, _other) = make_till(), make_organizers()
    (old,), (new,) = bought(till), at_point(till)
    proposal = propose_replacement(damaged=old.number, replacement=new.number, proof="Receipt 12.", proposed_by=one)
    return Waiting(one, lambda by: approve_replacement(proposal=proposal, approved_by=by), "approve_replacement", 2)


def a_doubtful_line(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    for reference in ("A1", ""):
        take_in(csv_line(1_250, "за участие", reference=reference, document="77"))
    line: BankLine = doubtful_lines().get()
    proposal = propose_doubt(line=line, same=False, document="Letter 2", proposed_by=one)
    return Waiting(one, lambda by: approve_doubt(proposal=proposal, approved_by=by), "approve_bank_line")


def a_role(_provider: FakeProvider) -> Waiting:
    (one, _other), person = make_organizers(), make_user(Role.CASHIER)
    proposal = propose_role(person=person, role=Role.COMMISSION, reason="Appointed.", proposed_by=one)
    return Waiting(one, lambda by: approve_role(proposal_id=proposal.pk, approved_by=by), "approve_role")


def a_card_batch(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    until = legal_day(clock.now()) + timedelta(days=400)
    batch = propose_card_batch(series="AB", quantity=1, face_value=1_000, valid_until=until, proposed_by=one)
    return Waiting(one, lambda by: approve_card_batch(batch=batch, approved_by=by), "approve_card_batch")


def a_blocked_account(_provider: FakeProvider) -> Waiting:
    account, (one, _other) = account_of(make_player()), make_organizers()
    propose_block(account=account, reason="Case 1.", proposed_by=one)
    return Waiting(one, lambda by: block_account(account=account, approved_by=by), "block_account")


def an_unblocked_account(_provider: FakeProvider) -> Waiting:
    account, (one, other) = account_of(make_player()), make_organizers()
    propose_block(account=account, reason="Case 1.", proposed_by=one)
    block_account(account=account, approved_by=other)
    propose_unblock(account=account, reason="Closed.", proposed_by=one)
    return Waiting(one, lambda by: unblock_account(account=account, approved_by=by), "unblock_account")


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


APPROVALS: Mapping[str, Callable[[FakeProvider], Waiting]] = {
    "accounts.services.bank_doubts.approve_doubt": a_doubtful_line,
    "accounts.services.blocking.block_account": a_blocked_account,
    "accounts.services.blocking.unblock_account": an_unblocked_account,
    "accounts.services.card_batches.approve_card_batch": a_card_batch,
    "accounts.services.card_replacing.approve_replacement": a_replaced_card,
    "accounts.services.deposit_returns.approve_return": a_return,
    "accounts.services.deposit_returns.approve_return by document": a_return_by_document,
    "accounts.services.register_shrinkage.approve_shrunken": a_shrunken_register,
    "accounts.services.roles.approve_role": a_role,
    "accounts.services.trial_accounts.approve_trial": a_trial_account,
    "accounts.services.withdrawal_decisions.approve_end": an_ended_withdrawal,
    "accounts.services.withdrawals.approve_withdrawal": a_withdrawal,
    "payouts.services.bet_cancelling.approve_bet_cancellation": a_bet_cancellation,
    "payouts.services.bet_cancelling.approve_bet_cancellation after settlement": a_settled_bets_cancellation,
    "payouts.services.extending.approve_extension": an_extension,
    "payouts.services.large_payments.approve_large_payment": a_large_payment,
    "payouts.services.ticket_claims.approve_decision": a_ticket_claim,
    "pools.services.cancelling.approve_cancellation": a_cancellation,
    "pools.services.drafting.announce_pool": an_announcement,
    "pools.services.lost_keys.approve_key_revocation": a_lost_key,
    "pools.services.paper_forms.approve_form": a_paper_form,
    "pools.services.paper_jackpot.approve_form_to_jackpot": a_form_to_jackpot,
    "pools.services.receipt_decisions.approve_decision": a_receipt,
    "pools.services.subscribers.approve_stop": a_stop,
    "pools.services.subscribers.approve_subscriber": a_subscriber,
}
"""By the service's dotted name, and what else is to be told of the case."""

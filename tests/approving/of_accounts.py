"""What two people decide about money, cards, people and the system itself, made ready to be approved."""

from datetime import timedelta
from functools import partial

from accounts.models import BankLine, HeldDeposit, LimitKind, LimitPeriod, Role
from accounts.services.bank_doubts import approve_doubt, doubtful_lines, propose_doubt
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from accounts.services.card_batches import approve_card_batch, propose_card_batch
from accounts.services.card_replacing import approve_replacement, propose_replacement
from accounts.services.dated_numbers import approve_number, propose_number
from accounts.services.deposit_returns import approve_return, propose_return
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from accounts.services.register_shrinkage import approve_shrunken, propose_shrunken
from accounts.services.release_changes import approve_change, propose_change
from accounts.services.restricted_register import import_register
from accounts.services.roles import approve_role, propose_role
from accounts.services.sending import send_withdrawal
from accounts.services.trial_accounts import approve_trial, propose_trial
from accounts.services.withdrawal_decisions import approve_end, propose_end
from accounts.services.withdrawals import approve_withdrawal
from tests.approving.waiting import Waiting
from tests.banking import csv_line, take_in
from tests.carding import at_point, bought
from tests.fakes.provider import FakeProvider
from tests.making import (
    account_of,
    make_organizers,
    make_player,
    make_till,
    make_user,
)
from tests.topping_up import ask_back, begin, deposit_by, hear, named_bank
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day


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


def a_dated_number(_provider: FakeProvider) -> Waiting:
    (one, _other), day = make_organizers(), clock.today() + timedelta(days=3)
    told = {"source": "Order 9", "reason": "Fewer slips"}
    proposal = propose_number(name="refused_scans", value="7", valid_from=day, proposed_by=one, **told)
    return Waiting(one, lambda by: approve_number(number=proposal.pk, approved_by=by), "approve_number")


def a_release_change(_provider: FakeProvider) -> Waiting:
    one, _other = make_organizers()
    told = {"notice": "Letter 4 to the ministry", "evidence": "Run 812 passed"}
    change = propose_change(code="sha256:" + "0f" * 32, proposed_by=one, **told)
    return Waiting(one, lambda by: approve_change(number=change.pk, approved_by=by), "approve_change")

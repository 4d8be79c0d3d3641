"""Whoever moves money by a service is asked for the role: none of them obeys a plain player (R1).

The services are found by reading the code: what takes a person and leads to a posting. A new one has to be told here.
"""

import ast
from collections.abc import Callable, Mapping
from datetime import date

import pytest

from accounts.models import (
    AmlCase,
    BankLineProposal,
    CardReplacement,
    DepositReturn,
    GameAccount,
    GameEndProposal,
    Handover,
    HandoverState,
    OwnBankAccount,
    PaymentOrder,
    Role,
    Route,
    Shift,
    TopUpWay,
    UnmatchedItem,
    User,
    Withdrawal,
    WithdrawalProposal,
)
from accounts.services.bank_doubts import approve_doubt
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from accounts.services.card_replacing import approve_replacement
from accounts.services.card_sale import sell_card
from accounts.services.cases import close_case, report_case
from accounts.services.deposit_returns import approve_return
from accounts.services.ending import end_registration
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.paying_over import note_paid_over, note_prefunded
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import Payee, draw_up_anew, note_returned
from accounts.services.points import give_float
from accounts.services.postal_registers import import_postal_register
from accounts.services.provider_deposits import credit_found, hold_found
from accounts.services.shifts import close_shift, open_shift
from accounts.services.topups import credit_transfer, top_up_by_card, top_up_in_cash
from accounts.services.withdrawal_decisions import approve_end
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from payouts.models import Dispute, Mishap, OverpaidProposal, RefundLapseProposal, TicketClaim
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.cash import pay_by_phone, pay_in_cash
from payouts.services.disputes import answer, consider
from payouts.services.game_ends import approve_game_end
from payouts.services.jackpot import add_to_jackpot
from payouts.services.overpaid import approve_overpaid
from payouts.services.receivables import book_receivable_payment
from payouts.services.recipients import ShownDocument
from payouts.services.refund_lapses import approve_refund_lapse
from payouts.services.ticket_claims import open_claim, pay_claim
from pools.models import BetCancellationProposal, ReceiptProposal
from pools.services.cancelling import approve_cancellation
from pools.services.paper_forms import approve_form
from pools.services.paper_jackpot import approve_form_to_jackpot
from pools.services.receipt_decisions import approve_decision
from tests.architecture.sources import python_files, tree
from tests.making import account_of, bet_in_cash, make_player, make_pool, make_till, make_user, somebody
from tests.paper import enter, issue
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db
SERVICES = ("accounts/services", "pools/services", "payouts/services")
POSTING = {"post", "post_many", "register_bets", "register_together"}


def acts(by: User) -> Mapping[str, Callable[[], object]]:
    """Every service by which a person moves money, asked for by somebody who may not."""
    till, pool, victim = make_till(500, shift=False), make_pool(), make_player(500)
    account = account_of(victim)
    handover = Handover(number=1, route=Route.POINT_TO_DESK, till=till, amount=1, state=HandoverState.ANNOUNCED)
    desk = make_till()
    form = enter(make_pool("sportloto-variant"), desk, issue(desk).first)
    withdrawal = Withdrawal(pk=1, account=account, amount=1)
    return {
        **acts_on_accounts(account, by),
        **acts_on_tickets(by),
        "add_to_jackpot": lambda: add_to_jackpot(game="sportloto", amount=1, document="x", actor=by),
        "announce_handover": lambda: announce_handover(
            route=Route.DESK_TO_BANK, amount=1, given_by=by, document="Bag 1"
        ),
        "approve_cancellation": lambda: approve_cancellation(code=pool.code, approved_by=by),
        "approve_decision": lambda: approve_decision(proposal=ReceiptProposal(), approved_by=by),
        "approve_game_end": lambda: approve_game_end(proposal=GameEndProposal(), approved_by=by),
        "approve_end": lambda: approve_end(proposal=WithdrawalProposal(), approved_by=by),
        "approve_form": lambda: approve_form(number=form.number, approved_by=by),
        "approve_form_to_jackpot": lambda: approve_form_to_jackpot(number=1, approved_by=by),
        "approve_replacement": lambda: approve_replacement(proposal=CardReplacement(), approved_by=by),
        "approve_withdrawal": lambda: approve_withdrawal(withdrawal=withdrawal, approved_by=by),
        "cancel_withdrawal": lambda: cancel_withdrawal(withdrawal=withdrawal, reason="x", actor=by),
        "close_shift": lambda: close_shift(shift=Shift(till=till), counted=0, closed_by=by),
        "credit_found": lambda: credit_found(item=UnmatchedItem(), decision="x", decided_by=by),
        "credit_transfer": lambda: credit_transfer(
            account=account,
            amount=1,
            reference="x",
            method=TopUpWay.BANK_TRANSFER,
            received_at=clock.now(),
            by=by,
        ),
        "draw_up_anew": lambda: draw_up_anew(order=PaymentOrder(), payee=Payee("x", "y"), drawn_up_by=by),
        "end_registration": lambda: end_registration(account=account, asked_by=by, reason="x"),
        "export_payment_orders": lambda: export_payment_orders(account=OwnBankAccount(), made_by=by),
        "give_float": lambda: give_float(till=till, amount=1, document="x", by=by),
        "import_postal_register": lambda: import_postal_register(content=b"", imported_by=by),
        "note_paid_over": lambda: note_paid_over(provider="fake", received=1, held=1, reference="x", by=by),
        "note_prefunded": lambda: note_prefunded(provider="fake", amount=1, reference="x", by=by),
        "note_returned": lambda: note_returned(order=PaymentOrder(), reason="x", by=by),
        "open_shift": lambda: open_shift(till=till, cashier=by, counted=500),
        "pay_in_cash": lambda: pay_in_cash(ticket="x", check_code="x", cashier=by, idempotency_key="k"),
        "receive_handover": lambda: receive_handover(handover=handover, counted=1, received_by=by),
        "sell_card": lambda: sell_card(series="AB", number="0000000001", cashier=by, idempotency_key="k"),
        "top_up_in_cash": lambda: top_up_in_cash(account=account, amount=1, cashier=by, idempotency_key="k"),
    }


def acts_on_accounts(account: GameAccount, by: User) -> Mapping[str, Callable[[], object]]:
    """What stops, holds and gives back the money of accounts and of payers."""
    return {
        "approve_doubt": lambda: approve_doubt(proposal=BankLineProposal(), approved_by=by),
        "approve_return": lambda: approve_return(proposal=DepositReturn(), approved_by=by),
        "block_account": lambda: block_account(account=account, approved_by=by),
        "close_case": lambda: close_case(case=AmlCase(), decision="x", decided_by=by),
        "hold_found": lambda: hold_found(item=UnmatchedItem(), held_by=by),
        "propose_block": lambda: propose_block(account=account, reason="x", proposed_by=by),
        "propose_unblock": lambda: propose_unblock(account=account, reason="x", proposed_by=by),
        "report_case": lambda: report_case(case=AmlCase(), decision="x", decided_by=by),
        "unblock_account": lambda: unblock_account(account=account, approved_by=by),
    }


def acts_on_tickets(by: User) -> Mapping[str, Callable[[], object]]:
    """What pays, freezes or takes back what a ticket won."""
    person = somebody("DESK000077")
    ticket = bet_in_cash(make_pool(), make_till(), "1;1;1", 100).bet.ticket
    shown = ShownDocument("x", "DESK000078", date(1990, 5, 31), "x")
    return {
        "answer": lambda: answer(dispute=Dispute(pk=1), upheld=True, words="x", answered_by=by),
        "approve_bet_cancellation": lambda: approve_bet_cancellation(
            proposal=BetCancellationProposal(), approved_by=by
        ),
        "approve_overpaid": lambda: approve_overpaid(proposal=OverpaidProposal(), approved_by=by),
        "approve_refund_lapse": lambda: approve_refund_lapse(proposal=RefundLapseProposal(), approved_by=by),
        "book_receivable_payment": lambda: book_receivable_payment(ticket=ticket, amount=1, document="x", booked_by=by),
        "consider": lambda: consider(dispute=Dispute(pk=1), words="x", considered_by=by),
        "open_claim": lambda: open_claim(ticket="x", mishap=Mishap.LOST, story="x", shown=shown, opened_by=by),
        "pay_by_phone": lambda: pay_by_phone(
            ticket="x", phone="+375291234567", phone_code="x", cashier=by, idempotency_key="k"
        ),
        "pay_claim": lambda: pay_claim(
            claim=TicketClaim(pk=1, ticket=ticket), cashier=by, idempotency_key="k", person=person
        ),
    }


OWN = {
    "enter_provisional": "tells how conditions stand, and posts nothing",
    "hand_over": "the part that pay_in_cash, pay_by_phone and pay_claim share, which have asked for the role",
    "propose_from_file": "a feed's file only proposes a result, and posts nothing",
    "top_up_by_card": "a player's own card, onto the player's own account",
}


@pytest.mark.parametrize("role", [Role.PLAYER, Role.COMMISSION])
def test_nobody_moves_money_whose_role_it_is_not(role: Role) -> None:
    somebody = make_user(role)
    for name, act in acts(somebody).items():
        assert refused(act).code is Refusal.NOT_ALLOWED, name


@pytest.mark.parametrize("role", [Role.CASHIER, Role.COMMISSION, Role.ORGANIZER])
def test_a_card_is_moved_by_a_player_with_an_account(role: Role) -> None:
    somebody = make_user(role)
    act = refused(lambda: top_up_by_card(player=somebody, series="AB", number="1", code="x", idempotency_key="k"))
    assert act.code is Refusal.NOT_ALLOWED
    assert not GameAccount.objects.filter(player=somebody).exists()


def test_no_service_that_moves_money_is_left_out() -> None:
    missing = money_movers() - acts(make_user(Role.PLAYER)).keys() - OWN.keys()
    assert sorted(missing) == []


def test_the_search_finds_what_posts_by_way_of_others() -> None:
    assert money_movers() >= {"give_float", "note_returned", "approve_form", "cancel_withdrawal", "close_shift"}


def money_movers() -> set[str]:
    """Return the public services that take a person and lead to a posting, by whatever way."""
    calls: dict[str, set[str]] = {}
    taking: set[str] = set()
    for path in python_files(*SERVICES):
        for function in ast.walk(tree(path)):
            if isinstance(function, ast.FunctionDef):
                calls.setdefault(function.name, set()).update(_called(function))
                if not function.name.startswith("_") and _takes_a_person(function):
                    taking.add(function.name)
    moving = set(POSTING)
    while more := {name for name, called in calls.items() if called & moving} - moving:
        moving |= more
    return taking & moving


def _called(function: ast.FunctionDef) -> set[str]:
    names = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {
        name.id if isinstance(name, ast.Name) else name.attr
        for name in names
        if isinstance(name, ast.Name | ast.Attribute)
    }


def _takes_a_person(function: ast.FunctionDef) -> bool:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return any(argument.annotation and ast.unparse(argument.annotation) == "User" for argument in arguments)

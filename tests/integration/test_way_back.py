"""A winning goes back the way its stake came, each with its document (¶41-43)."""

import pytest

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import PaymentOrder, Receipt
from payouts.models import Payable, Payment, PaymentMethod
from payouts.queries.way_back import DOCUMENTS, METHODS, PayingDocument, pay_back_the_way_it_came
from payouts.services.cash_wishes import wish_cash
from payouts.tasks import book_due_payables, credit_due_accounts
from pools.models import Bet, Channel
from tests.banking import order_bet, pay_for
from tests.carding import bet_by_card, bought
from tests.making import account_of, bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.paper import sell_on_paper
from tests.paying import broken, go_to, payable_from
from tests.settling import settle

pytestmark = pytest.mark.django_db


def test_every_channel_has_a_way_back_and_every_way_a_document() -> None:
    assert set(METHODS) == set(Channel)
    assert set(DOCUMENTS) == set(PaymentMethod)
    assert {channel: DOCUMENTS[METHODS[channel]] for channel in Channel} == {
        Channel.CASH: PayingDocument.RECEIPT,
        Channel.PAPER: PayingDocument.RECEIPT,
        Channel.ACCOUNT: PayingDocument.STATEMENT,
        Channel.CARD: PayingDocument.CARD,
        Channel.TRANSFER: PayingDocument.PAYMENT_ORDER,
    }


def test_what_is_booked_is_what_the_rule_says_in_every_channel() -> None:
    pool, till, player = make_pool("sportloto-variant"), make_till(), make_player(100)
    one_card, other_card = bought(till, 2, face_value=100)
    bet_from_account(pool, player, "1", 100)
    bet_in_cash(pool, till, "1", 100)
    by_card, wished = (bet_by_card(pool, card, "1", 100) for card in (one_card, other_card))
    order = order_bet(pool)
    pay_for(order)
    sell_on_paper(pool, till)
    assert till.cashier is not None
    wish_cash(ticket=wished.bet.ticket, check_code=wished.check_code, document="Application 9", cashier=till.cashier)
    settle(pool, "1")
    book_due_payables()
    ways = {bet.ticket: pay_back_the_way_it_came(bet) for bet in Bet.objects.filter(pool=pool)}
    assert len(ways) == 6
    owed = Payable.objects.select_related("pay_to").filter(pool=pool)
    assert {payable.ticket: payable.pay_to for payable in owed} == {ticket: way.pay_to for ticket, way in ways.items()}
    assert ways[by_card.bet.ticket].pay_to == one_card.card.ledger_account
    assert ways[wished.bet.ticket].method == PaymentMethod.CASH

    go_to(payable_from(pool))
    credit_due_accounts()
    made = Payment.objects.filter(pool=pool)
    assert {payment.ticket: payment.method for payment in made} == {
        ticket: way.method for ticket, way in ways.items() if way.pay_to is not None
    }
    order.refresh_from_db()
    paid = Payment.objects.get(method=PaymentMethod.TRANSFER)
    to_bank = PaymentOrder.objects.get()
    assert (to_bank.cause, to_bank.amount) == (f"winning:{order.ticket}", paid.net)
    assert (to_bank.payee_name, to_bank.payee_account) == (order.payer_name, order.payer_account)
    assert ways[str(order.ticket)].pay_to == ledger_account(AccountKind.ORDERS_DUE)
    assert ways[Bet.objects.get(player=player).ticket].pay_to == account_of(player).ledger_account
    assert Receipt.objects.get().open_amount == 0
    assert broken() == []

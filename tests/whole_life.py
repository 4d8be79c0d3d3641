"""A full life of the books: every kind of act that a proof is about, once."""

from collections.abc import Mapping

from django.db import transaction

from accounts.ledger.kinds import AccountKind
from accounts.ledger.models import Transfer
from accounts.ledger.posting import ledger_account
from accounts.ledger.reversal import reverse
from accounts.models import PointKind, Route
from accounts.services.handovers import announce_handover
from accounts.services.payment_orders import Payee, draw_up_order
from payouts.tasks import (
    book_due_payables,
    credit_due_accounts,
    expire_due_winnings,
    post_due_agent_commissions,
)
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.banking import order_bet, pay_for, transfer
from tests.carding import bet_by_card, bought
from tests.desks import end_shift, make_agent
from tests.making import bet_from_account, bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paper import sell_on_paper
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.posting import bank, game_account, move, post_all
from tests.settling import sell, settle
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock


def live() -> Mapping[str, Pool]:
    """Pools of every fate: won (one paid by account, one in cash, one expired), returned, cancelled, on sale."""
    player, till = make_player(1_000), make_till(1_000)
    won, returned, cancelled = (make_pool("sportloto-variant") for _ in range(3))
    bet_from_account(won, player, "1", 100)
    slips = sell_slips(won, till, ("1", 100), ("1", 100), ("X", 100))
    for pool in (returned, cancelled):
        bet_from_account(pool, player, "1", 100)
        sell(pool, ("2", 100))
    one, other = make_organizers()
    propose_cancellation(code=cancelled.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=cancelled.code, approved_by=other)
    settle(won, "1")
    settle(returned, "1", event_void=True)
    by_agent, agents_till = make_pool("sportloto-variant"), make_till(kind=PointKind.AGENT, agent=make_agent("1/10"))
    bet_in_cash(by_agent, agents_till, "1", 100)
    settle(by_agent, "1")
    book_due_payables()
    post_due_agent_commissions()
    go_to(payable_from(won))
    credit_due_accounts()
    pay(slips[0], till)
    go_to(payable_until(won))
    expire_due_winnings()
    on_sale = make_pool("sportloto-variant")
    bet_from_account(on_sale, player, "1", 100)
    (card,) = bought(till)
    bet_by_card(on_sale, card, "1", 100)
    post_all(move("mistake", bank(), game_account("9"), 5))
    with transaction.atomic():
        reverse(Transfer.objects.get(key="mistake"), occurred_at=clock.now(), cause="act 1")
    ask_back(player, 100, named_bank(player))
    pay_for(order_bet(on_sale))
    transfer(30, "no reference")
    sell_on_paper(on_sale, make_till())
    post_all(move("order", bank(), ledger_account(AccountKind.ORDERS_DUE), 7))
    payee = Payee("Name", "BY00")
    draw_up_order(cause="refund:x", payee=payee, amount=7, purpose="x", at=clock.now(), actor="test")
    assert agents_till.cashier is not None
    announce_handover(route=Route.POINT_TO_DESK, amount=30, given_by=agents_till.cashier, till=agents_till)
    end_shift(agents_till, counted=69, reason="One short.")
    return {"won": won, "returned": returned, "cancelled": cancelled, "on sale": on_sale}

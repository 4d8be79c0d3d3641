"""What a terminal does for a cashier: the journal and the ticket name both."""

import pypdfium2
import pytest

from accounts.models import User
from accounts.services.terminals import NewKey
from payouts.services.booking import book_payables
from pools.models import Bet
from pools.services.printing import print_copy
from tests.carding import at_point
from tests.desks import make_terminal
from tests.functional.calling import Caller
from tests.making import bet_in_cash, make_player, make_pool, make_till
from tests.paying import go_to, payable_from
from tests.settling import sell, settle
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def names_both(act: str, made: NewKey, cashier: User) -> bool:
    record = JournalRecord.objects.filter(act=act).order_by("-pk")[0]
    return {made.terminal.actor, cashier.actor} <= {record.actor, *(record.after or {}).values()}


def printed(bet: Bet) -> str:
    (page,) = pypdfium2.PdfDocument(print_copy(bet, actor="test", language="en"))
    return str(page.get_textpage().get_text_range()).replace("\xa0", " ")


def test_every_sale_and_payment_of_a_terminal_names_it_and_its_cashier() -> None:
    pool, player, till = make_pool("sportloto-variant"), make_player(), make_till(1_000)
    made, cashier = make_terminal(till), till.cashier
    assert cashier is not None
    caller = Caller(made)
    placed = caller.post(f"pools/{pool.code}/bets", {"selections": "1", "stake": "1.00"}).json()
    assert names_both("place_bet", made, cashier)
    (card,) = at_point(till)
    assert caller.post("cards/sales", {"series": card.series, "number": card.number}).status_code == 201
    assert names_both("sell_card", made, cashier)
    assert caller.post("till/top-ups", {"username": player.username, "amount": "5.00"}).status_code == 201
    assert names_both("top_up", made, cashier)
    sell(pool, *[("X", 100)] * 9)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    caller.post("terminal/synchronisations", key=None)
    paid = caller.post(f"tickets/{placed['ticket']}/payments", {"check_code": placed["check_code"]})
    assert paid.status_code == 201, paid.json()
    assert names_both("pay_in_cash", made, cashier)


def test_a_ticket_names_the_terminal_that_sold_it() -> None:
    pool, till = make_pool(), make_till()
    made = make_terminal(till)
    Caller(made).post(f"pools/{pool.code}/bets", {"selections": "1;X;2", "stake": "1.00"})
    by_terminal = printed(Bet.objects.get())
    assert f"Cashier {till.cashier_id}" in by_terminal
    assert f"Terminal {made.terminal.pk}" in by_terminal
    by_hand = printed(bet_in_cash(pool, till, "1;X;2", 100).bet)
    assert f"Cashier {till.cashier_id}" in by_hand
    assert "Terminal" not in by_hand

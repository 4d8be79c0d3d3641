"""Cards and cash at the desk: sold, taken, handed over and received, once each (C3, D2, ¶35.1)."""

import pytest
from django.test import Client

from accounts.models import CardState, Handover, HandoverState, Route, TopUp
from accounts.services.bank_terms import record_cash_limit
from accounts.services.handovers import announce_handover, receive_handover
from pools.models import Bet
from tests.carding import at_point
from tests.desks import FIRST, cash_in, keeper
from tests.functional.browsing import text_of, visitor
from tests.functional.test_desk_keyboard import Keyboard
from tests.making import make_player, make_pool, make_till
from tests.paying import money_of

pytestmark = pytest.mark.django_db


def test_d2_a_card_is_sold_by_its_number_once_and_then_says_so() -> None:
    make_pool()
    till = make_till()
    (card,) = at_point(till)
    desk = Keyboard(till).types(card.number)
    assert f"{card.series} {card.number}" in text_of(desk.answer)
    desk.types("9")
    assert "BYN 1.00 are missing: nothing was sold." in text_of(desk.answer)
    assert cash_in(till) == 0
    desk.types("20")
    assert "ACCEPTED" in text_of(desk.answer)
    assert "BYN 10.00 change: give it back" in text_of(desk.answer)
    again = desk.sends_again()
    assert "the card was sold once. If its money was taken already, take nothing more." in text_of(again)
    assert (cash_in(till), card.card.state, card.money) == (1_000, CardState.ACTIVE, 1_000)
    shown = desk.types(card.number).answer
    assert "NOT FOR SALE sold" in text_of(shown)
    assert "Take BYN 10.00" not in text_of(shown)


def test_a_card_of_another_point_is_not_told_of() -> None:
    till, other = make_till(), make_till()
    (card,) = at_point(till)
    answer = Keyboard(other).types(card.number).answer
    assert answer.status_code == 404
    assert "There is no such card at this point." in text_of(answer)
    form = {"series": card.series, "number": card.number, "token": "t" * 32, "given": ""}
    assert visitor(other.cashier).post("/till/cards/sell/", form).status_code == 404
    assert card.card.state == CardState.AT_POINT
    assert cash_in(other) == 0


def test_a_top_up_is_read_back_and_credited_once() -> None:
    till, player = make_till(), make_player()
    client = visitor(till.cashier)
    assert client.post("/till/top-up/", {"username": "nobody", "amount": "5"}).status_code == 404
    assert client.post("/till/top-up/", {"username": player.username, "amount": "many"}).status_code == 400
    desk = Keyboard(till)
    desk.answer = client.post("/till/top-up/", {"username": player.username, "amount": "12,50"})
    assert f"BYN 12.50 onto the account of {player.username}" in text_of(desk.answer)
    assert not TopUp.objects.exists()
    desk.types("20")
    assert "BYN 7.50 change" in text_of(desk.answer)
    assert "the money was credited once" in text_of(desk.sends_again())
    assert (money_of(player), cash_in(till), TopUp.objects.count()) == (1_250, 1_250, 1)


def test_more_than_the_till_holds_is_not_handed_over() -> None:
    till = make_till(500)
    desk = Keyboard(till).presses("F8").types("5.01")
    assert desk.answer.status_code == 409
    assert "The till holds BYN 5.00 by the books" in text_of(desk.answer)
    assert not Handover.objects.exists()
    assert cash_in(till) == 500


def test_cash_from_the_cash_desk_is_counted_and_taken_over_once() -> None:
    till = make_till(5_000)
    desk = Keyboard(till).presses("F8").types("50")
    staff = keeper()
    receive_handover(handover=Handover.objects.get(), counted=5_000, received_by=staff)
    brought = announce_handover(route=Route.DESK_TO_POINT, amount=2_000, given_by=staff, till=till)
    page = desk.presses("F8").answer
    assert f"From the cash desk: no. {brought.number}, BYN 20.00" in text_of(page)
    address = f"/till/handovers/{brought.number}/receive/"
    assert receives(desk.client, address, "19", "") == 400
    assert cash_in(till) == 0
    assert receives(desk.client, address, "20", "") == 200
    assert receives(desk.client, address, "20", "") == 200
    assert receives(desk.client, address, "21", "x") == 409
    brought.refresh_from_db()
    assert (brought.state, brought.counted, cash_in(till)) == (HandoverState.RECEIVED, 2_000, 2_000)
    document = desk.client.get(f"/till/handovers/{brought.number}/document/")
    assert document.content.startswith(b"%PDF")
    assert visitor(make_till().cashier).get(f"/till/handovers/{brought.number}/document/").status_code == 404


def receives(client: Client, address: str, counted: str, reason: str) -> int:
    return client.post(address, {"counted": counted, "reason": reason}).status_code


def test_the_limit_is_always_in_sight_and_over_it_nothing_is_sold() -> None:
    make_pool()
    till = make_till(500)
    record_cash_limit(point=till.point, amount=550, valid_from=FIRST, document="Letter 1", by=keeper())
    desk = Keyboard(till)
    for page in (desk.answer, desk.types("1X2").answer):
        assert "BYN 5.00 cash in the till" in text_of(page)
        assert "BYN 5.00 in all tills of the point, of BYN 5.50 allowed" in text_of(page)
        assert "Near the limit: hand cash over (F8)." in text_of(page)
    desk.types("")
    assert desk.answer.status_code == 409
    assert "What to do now: Hand cash over to the cash desk: F8. Then sell." in text_of(desk.answer)
    assert not Bet.objects.exists()
    assert cash_in(till) == 500

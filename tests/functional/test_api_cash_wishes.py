"""The winning of a card bet in cash, by a signed wish that a desk notes over the API (¶41)."""

import pytest

from payouts.models import CashWish
from tests.carding import bet_by_card, bought
from tests.functional.calling import Caller, told
from tests.making import bet_in_cash, make_player, make_pool, make_till

pytestmark = pytest.mark.django_db


def test_a_wish_is_noted_once_and_only_of_a_card_bet() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till)
    slip, other = bet_by_card(pool, card, "1;X;2", 100), bet_in_cash(pool, till, "1;X;2", 100)
    caller, path = Caller(till.cashier), f"tickets/{slip.bet.ticket}/cash-wish"
    body = {"check_code": slip.check_code, "document": "Wish 7"}
    assert told(Caller(make_player()).post(path, body, key=None)) == (403, "not_allowed")
    assert told(caller.post(path, {**body, "check_code": "0" * 14}, key=None)) == (400, "wrong_code")
    cash = {**body, "check_code": other.check_code}
    assert told(caller.post(f"tickets/{other.bet.ticket}/cash-wish", cash, key=None)) == (403, "not_allowed")
    assert CashWish.objects.count() == 0
    noted = [caller.post(path, {**body, "document": f"Wish {number}"}, key=None) for number in (7, 8)]
    assert noted[0].status_code == 200
    assert noted[0].json() == noted[1].json()
    assert (noted[0].json()["document"], CashWish.objects.count()) == ("Wish 7", 1)

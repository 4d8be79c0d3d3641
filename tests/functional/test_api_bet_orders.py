"""Ordering a bet that a transfer pays, over the API: reference, requisites, last moment, and the bet (¶9.8)."""

from typing import Any

import pytest

from pools.models import Bet, BetOrder
from tests.banking import OURS, PAYER, own_account, transfer
from tests.functional.calling import Caller, told
from tests.making import make_player, make_pool, make_till
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db
ADULT = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}


def wanted(**changed: Any) -> dict[str, Any]:
    payer = {"payer_name": "Иванова Анна", "payer_account": PAYER, "consent": True}
    return {"selections": "1;X;2", "stake": "1.00", **payer, **changed}


def test_a_player_orders_pays_and_sees_the_bet() -> None:
    own_account()
    pool, player = make_pool(), make_player()
    caller, path = Caller(player), f"pools/{pool.code}/bet-orders"
    ordered = [caller.post(path, wanted(), key="order") for _ in range(2)]
    assert ordered[0].status_code == 201, ordered[0].json()
    assert ordered[0].json() == ordered[1].json()
    order = ordered[0].json()
    assert order["reference"].startswith(f"BET-{order['number']:08}-")
    assert (order["amount"], order["state"], order["ticket"]) == ("1.00", "open", None)
    assert order["pay_before"] == instant(pool.closes_at)
    assert order["payees"] == [{"holder": "ООО «Тотализатор»", "account": OURS, "bank": "AKBBBY2X"}]
    assert Bet.objects.count() == 0
    transfer(100, order["reference"])
    (mine,) = caller.get("bet-orders?state=registered").json()["orders"]
    assert mine == {**order, "state": "registered", "ticket": Bet.objects.get().ticket}
    assert caller.get("bet-orders?state=open").json()["orders"] == []
    assert Caller(make_player()).get("bet-orders").json()["orders"] == []


def test_a_desk_orders_for_who_shows_a_document() -> None:
    own_account()
    pool, till = make_pool(), make_till()
    caller, path = Caller(till.cashier), f"pools/{pool.code}/bet-orders"
    nobody = caller.post(path, wanted())
    assert (told(nobody), nobody.json()["field"]) == ((400, "bad_value"), "person")
    young = {"identity_number": "DESK000009", "birth_date": "2020-01-01"}
    assert told(caller.post(path, wanted(person=young))) == (403, "under_age")
    assert BetOrder.objects.count() == 0
    order = caller.post(path, wanted(person=ADULT))
    assert order.status_code == 201, order.json()
    assert BetOrder.objects.get().person is not None
    assert [row["number"] for row in caller.get("bet-orders").json()["orders"]] == [order.json()["number"]]


def test_an_order_that_cannot_be_is_none() -> None:
    pool, player = make_pool(), make_player()
    caller, path = Caller(player), f"pools/{pool.code}/bet-orders"
    assert told(caller.post(path, wanted())) == (409, "wrong_state")  # there is nowhere to pay
    own_account()
    assert told(caller.post(path, wanted(consent=False))) == (409, "consent_needed")
    assert told(caller.post(path, wanted(payer_account="BY00"))) == (400, "bad_value")
    assert told(caller.post(path, wanted(stake="1.01"))) == (400, "bad_stake")
    assert told(caller.post(path, wanted(person=ADULT))) == (400, "bad_value")
    assert told(caller.post("pools/NONE/bet-orders", wanted())) == (404, "not_found")
    assert BetOrder.objects.count() == 0

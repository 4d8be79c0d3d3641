"""Prepaid cards sent to a point and taken into its stock over the API (D2)."""

import pytest

from accounts.models import CardState, PrepaidCard
from tests.carding import approved_batch, printed
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_till

pytestmark = pytest.mark.django_db


def states() -> set[str]:
    return set(PrepaidCard.objects.values_list("state", flat=True))


def test_cards_are_shipped_received_and_sold() -> None:
    till, (staff, _other) = make_till(), make_organizers()
    cards = printed(approved_batch(3))
    sender, cashier, stranger = Caller(staff), Caller(till.cashier), Caller(make_till().cashier)
    some = {"series": "ab", "first": cards[0].number, "last": cards[-1].number}
    shipment = {**some, "point": till.point.code, "document": "Waybill 1"}
    assert told(cashier.post("cards/shipments", shipment)) == (403, "not_allowed")
    assert told(sender.post("cards/shipments", {**shipment, "point": "NONE"})) == (404, "not_found")
    assert told(cashier.post("cards/receipts", some)) == (409, "wrong_state")
    assert states() == {CardState.PRINTED}
    sent = [sender.post("cards/shipments", shipment, key="ship") for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].json() == sent[1].json() == {**some, "series": "AB", "quantity": 3}
    assert told(stranger.post("cards/receipts", some)) == (409, "wrong_state")
    assert states() == {CardState.SHIPPED}
    taken = [cashier.post("cards/receipts", some, key="take") for _ in range(2)]
    assert taken[0].json() == taken[1].json() == sent[0].json()
    assert states() == {CardState.AT_POINT}
    line = {
        "point": till.point.code,
        "series": "AB",
        "face_value": "10.00",
        "state": "at_point",
        "quantity": 3,
        "first": cards[0].number,
        "last": cards[-1].number,
    }
    assert cashier.get("cards/stock").json() == {"stock": [line]}
    assert stranger.get("cards/stock").json() == {"stock": []}
    assert cashier.post("cards/sales", {"series": "AB", "number": cards[0].number}).status_code == 201
    (left,) = sender.get(f"cards/stock?point={till.point.code}").json()["stock"]
    assert (left["quantity"], left["first"]) == (2, cards[1].number)

"""Cash handed over by the API: two people, two counts, each act once (¶9.5)."""

from functools import partial
from typing import Any

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Handover
from tests.concurrency.racing import race
from tests.desks import cash_in, end_shift, make_terminal
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_player, make_till


@pytest.mark.django_db
def test_cash_goes_from_a_till_over_the_cash_desk_to_the_bank() -> None:
    till, (one, other) = make_till(8_000), make_organizers()
    cashier, first, second = Caller(till.cashier), Caller(one), Caller(other)
    desk = balance(ledger_account(AccountKind.CASH_DESK))
    body = {"route": "point_to_desk", "amount": "60.00"}
    given = [cashier.post("handovers", body, key="give") for _ in range(2)]
    assert given[0].status_code == 201, given[0].json()
    assert given[0].json() == given[1].json()
    number = given[0].json()["number"]
    assert (given[0].json()["till"], given[0].json()["state"], given[0].json()["counted"]) == (
        str(till),
        "announced",
        None,
    )
    assert cash_in(till) == 2_000
    path = f"handovers/{number}/receipt"
    assert told(first.post(path, {"counted": "59.50"})) == (400, "bad_value")
    short = {"counted": "59.50", "reason": "A note was false."}
    received = [first.post(path, short, key="take") for _ in range(2)]
    assert received[0].json() == received[1].json()
    assert (received[0].json()["state"], received[0].json()["counted"]) == ("received", "59.50")
    assert told(first.post(path, short)) == (409, "wrong_state")
    assert balance(ledger_account(AccountKind.CASH_DESK)) == desk + 5_950
    on = first.post("handovers", {"route": "desk_to_bank", "amount": "50.00", "document": "B-17"}).json()
    assert told(first.post(f"handovers/{on['number']}/receipt", {"counted": "50.00"})) == (403, "same_person")
    assert second.post(f"handovers/{on['number']}/receipt", {"counted": "50.00"}).status_code == 200
    assert balance(ledger_account(AccountKind.CASH_DESK)) == desk + 950


@pytest.mark.django_db
def test_a_repeated_request_is_answered_when_the_till_is_empty_and_its_shift_over() -> None:
    till = make_till(6_000)
    cashier, body = Caller(till.cashier), {"route": "point_to_desk", "amount": "60.00"}
    first = cashier.post("handovers", body, key="give")
    end_shift(till)
    assert cashier.post("handovers", body, key="give").json() == first.json()
    assert told(cashier.post("handovers", {**body, "amount": "1.00"}, key="give")) == (409, "key_reused")
    assert told(cashier.post("handovers", body)) == (409, "no_open_shift")
    assert (Handover.objects.filter(till=till, route="point_to_desk").count(), cash_in(till)) == (1, 0)


@pytest.mark.django_db
def test_a_float_comes_to_the_till_that_is_named() -> None:
    till, (one, _other) = make_till(), make_organizers()
    supply = Caller(one).post("handovers", {"route": "bank_to_desk", "amount": "90.00", "document": "B-1"}).json()
    Caller(make_organizers()[0]).post(f"handovers/{supply['number']}/receipt", {"counted": "90.00"})
    named = {"point": till.point.code, "number": till.number}
    body = {"route": "desk_to_point", "amount": "40.00", "till": named}
    assert told(Caller(one).post("handovers", {**body, "till": {**named, "number": 9}})) == (404, "not_found")
    given = Caller(one).post("handovers", body)
    assert given.status_code == 201, given.json()
    stranger, cashier = Caller(make_till().cashier), Caller(till.cashier)
    path = f"handovers/{given.json()['number']}/receipt"
    assert told(stranger.post(path, {"counted": "40.00"})) == (404, "not_found")
    assert cashier.post(path, {"counted": "40.00"}).status_code == 200
    assert cash_in(till) == 4_000
    assert [row["number"] for row in cashier.get("handovers").json()["handovers"]] == [given.json()["number"]]
    assert stranger.get("handovers").json()["handovers"] == []
    waiting = Caller(one).get("handovers?state=announced").json()["handovers"]
    assert waiting == []


@pytest.mark.django_db
def test_only_people_of_the_desks_hand_cash_over() -> None:
    till = make_till(1_000)
    body = {"route": "point_to_desk", "amount": "1.00"}
    for caller in (Caller(make_player()), Caller(make_terminal(till))):
        assert told(caller.post("handovers", body)) == (403, "not_allowed")
    assert told(Caller(make_organizers()[0]).post("handovers", body)) == (403, "not_allowed")
    cashier, onward = Caller(till.cashier), {"route": "desk_to_bank", "amount": "1.00", "document": "B"}
    assert told(cashier.post("handovers", onward)) == (403, "not_allowed")
    assert told(cashier.post(f"handovers/{10**30}/receipt", {"counted": "1.00"})) == (404, "not_found")
    assert cash_in(till) == 1_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("keys", "handovers", "left"), [(("one", "one"), 1, 3_000), (("one", "two"), 2, 1_000)])
def test_two_like_requests_at_once_are_one_handover_and_unlike_keys_are_two(
    keys: tuple[str, str], handovers: int, left: int
) -> None:
    till = make_till(5_000)
    caller, body = Caller(till.cashier), {"route": "point_to_desk", "amount": "20.00"}
    answers: list[Any] = race([partial(caller.post, "handovers", body, key=key) for key in keys])
    assert [answer.status_code for answer in answers] == [201, 201]
    assert len({answer.json()["number"] for answer in answers}) == handovers
    assert (Handover.objects.filter(till=till, route="point_to_desk").count(), cash_in(till)) == (handovers, left)


@pytest.mark.django_db(transaction=True)
def test_two_receivers_at_once_take_it_over_once() -> None:
    till, people = make_till(5_000), make_organizers()
    number = Caller(till.cashier).post("handovers", {"route": "point_to_desk", "amount": "20.00"}).json()["number"]
    path, desk = f"handovers/{number}/receipt", balance(ledger_account(AccountKind.CASH_DESK))
    answers: list[Any] = race([partial(Caller(person).post, path, {"counted": "20.00"}) for person in people])
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert balance(ledger_account(AccountKind.CASH_DESK)) == desk + 2_000

"""Bets on paper over the API: issued, entered, approved by another, refused, returned; gaps told (¶9.10, C8)."""

from typing import Any

import pytest

from accounts.models import Till, User
from pools.models import Bet, PaperForm, Pool
from tests.desks import cash_in, make_terminal
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_pool, make_till
from tests.paper import issue
from totalizator.core import clock
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db


def written(pool: Pool, number: int, **changed: Any) -> dict[str, Any]:
    body = {"number": number, "pool": pool.code, "selections": "1;X;2", "stake": "1.00"}
    return {**body, "written_at": instant(clock.now()), **changed}


def staff() -> tuple[User, Caller]:
    person = make_organizers()[0]
    return person, Caller(person)


def shown(till: Till) -> Any:
    return Caller(till.cashier).get("paper/registers").json()["registers"]


def test_a_form_becomes_a_bet_when_another_person_approves_it() -> None:
    pool, till = make_pool(), make_till()
    (_person, office), cashier = staff(), Caller(till.cashier)
    register = {"point": till.point.code, "game": "sportloto", "first": 501, "last": 510}
    assert told(cashier.post("paper/registers", register)) == (403, "not_allowed")
    issued = [office.post("paper/registers", register, key="issue") for _ in range(2)]
    assert (issued[0].status_code, issued[0].json()) == (201, issued[1].json())
    assert told(office.post("paper/registers", {**register, "last": 505})) == (400, "bad_value")
    form = written(pool, 503, written_at="2026-01-01T00:00:00Z")
    entered = [cashier.post("paper/forms", form, key="e") for _ in range(2)]
    assert (entered[0].status_code, entered[0].json()) == (201, entered[1].json())
    assert (entered[0].json()["state"], entered[0].json()["ticket"]) == ("entered", None)
    assert shown(till)[0]["gaps"] == [{"first": 501, "last": 502}]
    assert told(cashier.post("paper/forms/503/approval")) == (403, "same_person")
    assert told(Caller(make_till().cashier).post("paper/forms/503/approval")) == (403, "not_allowed")
    assert (Bet.objects.count(), cash_in(till)) == (0, 0)
    approved = [office.post("paper/forms/503/approval", key="a") for _ in range(2)]
    assert approved[0].status_code == 200, approved[0].json()
    assert approved[0].json() == approved[1].json()
    bet = Bet.objects.get()
    assert approved[0].json()["form"]["state"] == "registered"
    assert (approved[0].json()["bet"]["ticket"], approved[0].json()["bet"]["channel"]) == (bet.ticket, "paper")
    assert approved[0].json()["bet"]["check_code"]
    assert cash_in(till) == 100


def test_a_form_that_is_no_bet_is_returned_or_goes_to_the_jackpot() -> None:
    pool, till = make_pool(), make_till()
    first = issue(till).first
    cashier, (_one, office), (_other, second) = Caller(till.cashier), staff(), staff()
    cashier.post("paper/forms", written(pool, first))
    rejected = office.post(f"paper/forms/{first}/rejection", {"reason": "Another match."})
    assert (rejected.json()["state"], rejected.json()["why"]) == ("to_return", "rejected")
    (waiting,) = cashier.get("paper/forms?state=to_return").json()["forms"]
    assert waiting["number"] == first
    back = [cashier.post(f"paper/forms/{first}/return", {"document": "R-1"}, key="back") for _ in range(2)]
    assert [answer.json()["state"] for answer in back] == ["returned", "returned"]
    fault = {"number": first + 1, "why": "missing", "stake": "2.00", "note": "No marks."}
    assert told(cashier.post("paper/forms/faulty", {**fault, "why": "late"})) == (400, "bad_value")
    assert cashier.post("paper/forms/faulty", fault).json()["why"] == "missing"
    spoiled = cashier.post("paper/forms/spoiled", {"number": first + 2, "note": "Torn."})
    assert (spoiled.status_code, spoiled.json()["state"], spoiled.json()["stake"]) == (201, "spoiled", None)
    path = f"paper/forms/{first + 1}/jackpot"
    assert told(cashier.post(path, {"reason": "¶17.1"})) == (403, "not_allowed")
    assert office.post(path, {"reason": "¶17.1"}).json()["state"] == "to_return"
    assert told(office.post(f"{path}/approval")) == (403, "same_person")
    assert cash_in(till) == 0
    booked = [second.post(f"{path}/approval", key="book") for _ in range(2)]
    assert [answer.json()["state"] for answer in booked] == ["jackpot", "jackpot"]
    assert (cash_in(till), Bet.objects.count(), shown(till)[0]["gaps"]) == (200, 0, [])


def test_what_cannot_be_a_form_is_told_so() -> None:
    pool, till = make_pool(), make_till()
    first = issue(till).first
    cashier, (_one, office) = Caller(till.cashier), staff()
    assert told(cashier.post("paper/forms", written(pool, 10**30))) == (400, "bad_value")
    assert told(cashier.post("paper/forms", written(pool, first + 99))) == (404, "not_found")
    assert told(cashier.post("paper/forms", written(pool, first, selections="9;9;9"))) == (400, "bad_selection")
    assert told(Caller(make_terminal(till)).post("paper/forms", written(pool, first))) == (403, "not_allowed")
    for act in ("approval", "jackpot/approval"):
        assert told(office.post(f"paper/forms/{10**30}/{act}")) == (404, "not_found")
    assert PaperForm.objects.count() == 0

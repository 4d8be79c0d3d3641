"""Who a player is, over the API: recorded, verified at a desk, alike accounts, blocks by two (¶35.3, E1, E5)."""

import pytest

from accounts.models import AccountState, Identity, Verification
from tests.desks import make_terminal
from tests.functional.calling import Caller, told
from tests.making import account_of, make_organizers, make_player, make_till

pytestmark = pytest.mark.django_db
SHOWN = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}
TOLD = {**SHOWN, "full_name": "Иванова Анна Петровна", "document": "MP1234567"}


def test_a_player_tells_who_they_are_and_a_desk_compares_the_document() -> None:
    player, till = make_player(may_bet=False), make_till()
    mine, desk = Caller(player), Caller(till.cashier)
    body = {"username": player.username, "method": "in-person", "shown": SHOWN}
    assert told(desk.post("players/verifications", body, key=None)) == (404, "not_found")
    assert told(mine.put("me/identity", {**TOLD, "birth_date": "1990-05-30"})) == (400, "bad_value")
    assert mine.put("me/identity", TOLD).json()["verified"] is False
    assert Identity.objects.get().full_name == "Иванова Анна Петровна"
    other = {**body, "shown": {"identity_number": "DESK000001", "birth_date": "1990-05-31"}}
    assert told(desk.post("players/verifications", other, key=None)) == (400, "bad_value")
    for caller in (mine, Caller(make_terminal(till))):
        assert told(caller.post("players/verifications", body, key=None)) == (403, "not_allowed")
    assert Verification.objects.count() == 0
    done = desk.post("players/verifications", body, key=None)
    assert (done.status_code, done.json()["username"]) == (201, player.username)
    assert Verification.objects.get().verified_by == till.cashier
    assert told(desk.post("players/verifications", body, key=None)) == (409, "wrong_state")
    assert told(mine.put("me/identity", TOLD)) == (409, "wrong_state")


def test_accounts_that_are_alike_are_listed_for_staff() -> None:
    one, other = make_player(may_bet=False), make_player(may_bet=False)
    for number, player in enumerate((one, other)):
        told_by = {**TOLD, "identity_number": f"ALIKE0000{number}"}
        assert Caller(player).put("me/identity", told_by).status_code == 200
    staff = Caller(make_organizers()[0])
    (found,) = staff.get("players/duplicates").json()["duplicates"]
    assert found["in_common"] == "name_birth"
    assert found["players"] == [
        {"username": player.username, "state": "active", "verified": False} for player in (one, other)
    ]
    assert told(Caller(make_till().cashier).get("players/duplicates")) == (403, "not_allowed")


def test_an_account_is_blocked_and_opened_again_by_two_of_the_staff() -> None:
    player, (one, other) = make_player(), make_organizers()
    first, second, path = Caller(one), Caller(other), "players/blocks"
    body = {"username": player.username, "act": "block"}
    assert told(second.post(f"{path}/approval", body, key=None)) == (404, "not_found")
    assert told(first.post(path, {**body, "username": "nobody", "reason": "Alike."}, key=None)) == (404, "not_found")
    proposed = first.post(path, {**body, "reason": "Alike."}, key=None)
    assert (proposed.status_code, proposed.json()["account"]) == (201, "active")
    (waiting,) = second.get(path).json()["proposals"]
    assert waiting == proposed.json()
    assert told(first.post(f"{path}/approval", body, key=None)) == (403, "same_person")
    assert told(Caller(make_till().cashier).post(f"{path}/approval", body, key=None)) == (403, "not_allowed")
    assert account_of(player).state == AccountState.ACTIVE
    assert second.post(f"{path}/approval", body, key=None).json()["account"] == "blocked"
    assert account_of(player).state == AccountState.BLOCKED
    assert second.get(path).json()["proposals"] == []
    again = {**body, "act": "unblock"}
    second.post(path, {**again, "reason": "Two sisters."}, key=None)
    assert first.post(f"{path}/approval", again, key=None).json()["account"] == "active"
    assert account_of(player).state == AccountState.ACTIVE

"""Staff's acts on the system itself over the API: dated numbers, change records (N4, R4)."""

from datetime import timedelta

import pytest

from accounts.models import NumberProposal, ReleaseApproval, ReleaseChange, Role
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_user
from totalizator.core import clock
from totalizator.core.api.documents import instant
from totalizator.core.models import LegalNumber

pytestmark = pytest.mark.django_db


def test_n4_a_number_is_proposed_by_one_and_approved_by_another() -> None:
    one, other = make_organizers()
    day = (clock.today() + timedelta(days=5)).isoformat()
    value = {"name": "refused_scans", "value": "7", "valid_from": day, "document": "Order 9"}
    body = value | {"reason": "Fewer slips"}
    answer = Caller(one).post("staff/number-proposals", body)
    proposal = NumberProposal.objects.get()
    written = {
        **body,
        "number": proposal.pk,
        "proposed_by": one.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": False,
    }
    assert (answer.status_code, answer.json()) == (201, written)
    assert Caller(other).get("staff/number-proposals").json() == {"proposals": [written], "next": None}
    where = f"staff/number-proposals/{proposal.pk}/approval"
    assert told(Caller(one).post(where, {})) == (403, "same_person")
    assert told(Caller(one).post("staff/number-proposals", body | {"name": "x"})) == (404, "not_found")
    assert told(Caller(one).post("staff/number-proposals", body | {"value": "x"})) == (400, "bad_value")
    approved = Caller(other).post(where, {})
    assert (approved.status_code, approved.json()) == (200, written | {"decided": True})
    assert told(Caller(other).post(where, {})) == (409, "wrong_state")
    assert Caller(other).get("staff/number-proposals").json()["proposals"] == []
    numbers = Caller(one).get("staff/numbers?page_size=200").json()["numbers"]
    assert len(numbers) == LegalNumber.objects.count()
    assert [row["value"] for row in numbers if row["name"] == "refused_scans"] == ["5", "7"]
    assert value in numbers


def test_r4_a_change_record_is_proposed_by_one_and_approved_by_another() -> None:
    one, other = make_organizers()
    body = {"code": "sha256:" + "a" * 64, "notice": "Letter 4", "evidence": "Run 812 passed"}
    answer = Caller(one).post("staff/release-changes", body)
    change = ReleaseChange.objects.get()
    written = {
        **body,
        "number": change.pk,
        "proposed_by": one.username,
        "proposed_at": instant(change.proposed_at),
        "approved_by": "",
        "approved_at": None,
    }
    assert (answer.status_code, answer.json()) == (201, written)
    assert told(Caller(one).post("staff/release-changes", body | {"code": "main"})) == (400, "bad_value")
    where = f"staff/release-changes/{change.pk}/approval"
    assert told(Caller(one).post(where, {})) == (403, "same_person")
    approved = Caller(other).post(where, {})
    at = instant(ReleaseApproval.objects.get().approved_at)
    assert approved.json() == written | {"approved_by": other.username, "approved_at": at}
    assert told(Caller(other).post(where, {})) == (409, "wrong_state")
    assert Caller(one).get("staff/release-changes").json() == {"changes": [approved.json()], "next": None}


def test_who_proposed_a_number_or_a_role_takes_it_back_and_nobody_else_does() -> None:
    (one, other), clerk = make_organizers(), make_user(Role.CASHIER)
    day = (clock.today() + timedelta(days=5)).isoformat()
    number = {"name": "refused_scans", "value": "7", "valid_from": day, "document": "Order 9", "reason": "Few"}
    role = {"username": clerk.username, "role": "commission", "reason": "Elected"}
    for where, body in (("staff/number-proposals", number), ("staff/roles", role)):
        made = Caller(one).post(where, body).json()
        back = f"{where}/{made['number']}/withdrawal"
        assert told(Caller(other).post(back, {})) == (403, "not_allowed")
        assert Caller(other).get(where).json()["proposals"] == [made]
        answer = Caller(one).post(back, {})
        assert (answer.status_code, answer.json()) == (200, made)
        assert Caller(other).get(where).json()["proposals"] == []
        assert told(Caller(one).post(back, {})) == (409, "wrong_state")
        assert told(Caller(other).post(f"{where}/{made['number']}/approval", {})) == (409, "wrong_state")
        assert told(Caller(one).post(f"{where}/999999/withdrawal", {})) == (404, "not_found")

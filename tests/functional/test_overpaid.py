"""What a correction shows to be overpaid, over the API and on the organizer's page: two decide (I10)."""

import re

import pytest

from payouts.models import OverpaidDecision, OverpaidProposal
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.integration.test_overpaid import overpaid
from tests.making import make_organizers

pytestmark = pytest.mark.django_db


def test_over_the_api_a_case_is_listed_proposed_about_and_decided_by_two() -> None:
    case, _slip = overpaid()
    one, other = (Caller(person) for person in make_organizers())
    (listed,) = one.get("staff/overpaid").json()["cases"]
    assert listed == {
        "pool": case.pool.code,
        "ticket": case.ticket,
        "kind": "winning",
        "before": "1.40",
        "after": "0.00",
        "overpaid": "1.40",
        "state": "open",
    }
    body = {"kind": "winning", "reclaim": True, "reason": "The slip of the pen", "document": "Act 1"}
    where = f"staff/bets/{case.ticket}/overpaid-proposals"
    assert told(one.post("staff/bets/T-NONE/overpaid-proposals", body)) == (404, "not_found")
    assert told(one.post(where, {**body, "kind": "correction"})) == (400, "bad_value")
    proposed = one.post(where, body)
    assert proposed.status_code == 201
    number = proposed.json()["number"]
    assert (proposed.json()["reclaim"], proposed.json()["approved"]) == (True, False)
    approval = f"staff/overpaid-proposals/{number}/approval"
    assert told(one.post(approval, {})) == (403, "same_person")
    decided = other.post(approval, {})
    assert (decided.status_code, decided.json()["reclaimed"]) == (200, "1.33")
    assert told(other.post(approval, {})) == (409, "wrong_state")
    assert one.get("staff/overpaid").json()["cases"][0]["state"] == "reclaimed"
    (shown,) = one.get("staff/overpaid-proposals").json()["proposals"]
    assert (shown["number"], shown["approved"], shown["document"]) == (number, True, "Act 1")


def test_on_the_page_one_proposes_and_only_another_has_the_button_to_approve() -> None:
    case, _slip = overpaid("1+X")
    one, other = (visitor(person) for person in make_organizers())
    page = text_of(one.get("/desk/overpaid/"))
    assert case.ticket in page
    assert "paid BYN 1.40, right is BYN 0.70" in page
    form = {"ticket": case.ticket, "kind": "winning", "reclaim": "no", "reason": "Not worth it", "document": "Act 2"}
    answer = one.post("/desk/overpaid/", {**form, "reason": ""})
    assert (answer.status_code, OverpaidProposal.objects.count()) == (400, 0)
    assert one.post("/desk/overpaid/", form).status_code == 302
    button = re.compile(r"/desk/overpaid/proposals/(\d+)/approve/")
    assert button.search(one.get("/desk/overpaid/").content.decode()) is None
    found = button.search(other.get("/desk/overpaid/").content.decode())
    assert found is not None
    assert other.get(found.group()).status_code == 302
    assert not OverpaidDecision.objects.exists()
    one.post(found.group())
    assert not OverpaidDecision.objects.exists()
    other.post(found.group())
    assert OverpaidDecision.objects.get().reclaimed == 0
    page = text_of(one.get("/desk/overpaid/"))
    assert "waived" in page
    assert "Propose a decision" not in page

"""Staff's acts on agents, points, tills, terminals and their papers over the API; and pauses of sales."""

from datetime import date, timedelta

import pytest

from accounts.models import (
    Agent,
    BettingPoint,
    CashLimit,
    EquipmentCertificate,
    PointDocument,
    Role,
    TakingsAgreement,
    Terminal,
    Till,
)
from pools.models import Incident, IncidentState
from tests.desks import SCAN, cash_in, end_shift, make_agent, make_point, make_terminal
from tests.functional.calling import Caller, told
from tests.functional.uploading import upload
from tests.making import make_organizers, make_till, make_user
from totalizator.core import clock
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db
CONTRACT = {
    "name": "Agent Ltd",
    "contract_number": "A-900",
    "valid_from": "2020-01-01",
    "valid_until": "2027-12-31",
    "commission": "3/50",
}
POINT = {"code": "S1", "name": "Station", "kind": "own", "address": "Minsk, 1", "time_zone": "Europe/Minsk"}


def test_an_agent_is_registered_and_the_contract_runs_on() -> None:
    caller = Caller(make_organizers()[0])
    registered = caller.post("staff/agents", CONTRACT)
    agent = Agent.objects.get()
    written = {"number": agent.pk, **CONTRACT}
    assert (registered.status_code, registered.json()) == (201, written)
    again = caller.post("staff/agents", CONTRACT)
    assert (told(again), again.json()["field"]) == ((400, "bad_value"), "contract_number")
    wrong = caller.post("staff/agents", CONTRACT | {"contract_number": "A-901", "commission": "3"})
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "commission")
    where = f"staff/agents/{agent.pk}/extension"
    extended = caller.post(where, {"valid_until": "2028-12-31", "document": "Annex 1"})
    assert (extended.status_code, extended.json()) == (200, written | {"valid_until": "2028-12-31"})
    earlier = caller.post(where, {"valid_until": "2028-01-01", "document": "Annex 2"})
    assert (told(earlier), earlier.json()["field"]) == ((400, "bad_value"), "valid_until")
    (listed,) = caller.get("staff/agents").json()["agents"]
    assert listed == written | {"valid_until": "2028-12-31"}


def test_a_point_is_registered_and_switched_off_and_on() -> None:
    caller, agent = Caller(make_organizers()[0]), make_agent()
    registered = caller.post("staff/points", POINT)
    written = {**POINT, "agent": None, "on": True}
    assert (registered.status_code, registered.json()) == (201, written)
    agents = caller.post("staff/points", {"code": "S2", "name": "Kiosk", "kind": "agent", "agent": agent.pk})
    assert (agents.json()["agent"], agents.json()["time_zone"]) == (agent.pk, "Europe/Minsk")
    for wrong, field in (
        (POINT, "code"),
        (POINT | {"code": "a b"}, "code"),
        (POINT | {"code": "S3", "time_zone": "Minsk"}, "time_zone"),
        (POINT | {"code": "S3", "agent": agent.pk}, "agent"),
    ):
        answer = caller.post("staff/points", wrong)
        assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), field)
    assert told(caller.post("staff/points", POINT | {"code": "S3", "agent": 999_999})) == (404, "not_found")
    assert BettingPoint.objects.count() == 2
    off = {"on": False, "reason": "A flood"}
    assert caller.post("staff/points/S1/switch", off).json() == {"on": False}
    assert caller.get("staff/points").json()["points"][0] == written | {"on": False}
    assert caller.post("staff/points/S1/switch", off | {"on": True}).json() == {"on": True}


def test_the_banks_terms_are_recorded() -> None:
    caller, point = Caller(make_organizers()[0]), make_point("S1", papers=False)
    limit = {"amount": "5000.00", "valid_from": "2026-01-01", "document": "Letter 1"}
    answer = caller.post("staff/points/S1/cash-limits", limit)
    assert (answer.status_code, answer.json()) == (201, {"point": "S1", **limit})
    assert caller.post("staff/points/S1/cash-limits", limit | {"amount": None}).json()["amount"] is None
    assert list(CashLimit.objects.order_by("pk").values_list("point", "amount")) == [
        (point.pk, 500_000),
        (point.pk, None),
    ]
    agreement = {"number": "B-9", "bank": "The bank", "valid_from": "2026-01-01", "valid_until": "2026-12-31"}
    general = caller.post("staff/takings-agreements", agreement)
    assert (general.status_code, general.json()) == (201, {"point": None, **agreement})
    own = caller.post("staff/takings-agreements", agreement | {"point": "S1"})
    assert own.json() == agreement | {"point": "S1"}
    wrong = caller.post("staff/takings-agreements", agreement | {"valid_until": "2025-12-31"})
    assert told(wrong) == (400, "bad_value")
    listed = caller.get("staff/takings-agreements").json()["agreements"]
    assert listed[:2] == [own.json(), general.json()]
    assert TakingsAgreement.objects.count() == 3


def test_a_points_paper_is_filed_read_again_and_told_before_it_ends() -> None:
    caller, _point = Caller(make_organizers()[0]), make_point("S1", papers=False)
    soon = (clock.today() + timedelta(days=10)).isoformat()
    paper = {"kind": "licence", "number": "L-1", "valid_from": "2020-01-01", "valid_until": soon}
    filed = upload(caller, "points/S1/papers", SCAN, **paper)
    document = PointDocument.objects.get()
    written = {
        **paper,
        "id": document.pk,
        "point": "S1",
        "digest": document.digest,
        "filed_by": document.filed_by.username,
        "filed_at": instant(document.filed_at),
    }
    assert (filed.status_code, filed.json()) == (201, written)
    assert caller.get("staff/points/S1/papers").json() == {"papers": [written], "next": None}
    scan = caller.get(f"staff/papers/{document.pk}/scan")
    assert (scan.content, scan["Content-Type"]) == (SCAN, "application/pdf")
    assert scan["Content-Disposition"] == 'attachment; filename="S1-licence.pdf"'
    wrong = upload(caller, "points/S1/papers", b"MZ", **paper)
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "file")
    assert PointDocument.objects.count() == 1
    ending = caller.get("staff/expiries").json()["ending"]
    assert {"subject": "point:S1", "what": "document:licence", "last_day": soon} in ending
    assert {"subject": "point:S1", "what": "document:premises", "last_day": None} in ending
    assert len(ending) == 6


def test_a_till_is_set_up_given_to_another_and_closed() -> None:
    caller, _point = Caller(make_organizers()[0]), make_point("S1")
    one, other = make_user(Role.CASHIER), make_user(Role.CASHIER)
    body = {"number": 1, "cashier": one.username}
    opened = caller.post("staff/points/S1/tills", body)
    written = {"point": "S1", "number": 1, "cashier": one.username, "on": True, "closed_at": None}
    assert (opened.status_code, opened.json()) == (201, written)
    assert told(caller.post("staff/points/S1/tills", body | {"number": 2})) == (409, "wrong_state")
    assert told(caller.post("staff/points/S1/tills", body | {"cashier": other.username})) == (409, "wrong_state")
    assert told(caller.post("staff/points/S1/tills", {"number": 2, "cashier": "nobody"})) == (404, "not_found")
    where = "staff/points/S1/tills/1"
    assert caller.post(f"{where}/cashier", {"cashier": other.username}).json()["cashier"] == other.username
    assert caller.post(f"{where}/cashier", {"cashier": None}).json()["cashier"] is None
    assert caller.post(f"{where}/switch", {"on": False, "reason": "Dust"}).json() == {"on": False}
    assert told(caller.post(f"{where}/switch", {"on": "maybe", "reason": "x"})) == (400, "bad_value")
    assert caller.get("staff/points/S1/tills").json()["tills"] == [written | {"cashier": None, "on": False}]
    closed = caller.post(f"{where}/closing", {})
    till = Till.objects.get()
    assert till.closed_at is not None
    assert closed.json() == written | {"cashier": None, "on": False, "closed_at": instant(till.closed_at)}
    assert told(caller.post(f"{where}/closing", {})) == (409, "wrong_state")


def test_cash_from_the_bank_is_booked_into_a_till_once() -> None:
    caller, till = Caller(make_organizers()[0]), make_till()
    where = f"staff/points/{till.point.code}/tills/1/floats"
    body = {"amount": "50.00", "document": "F-1"}
    answers = [caller.post(where, body, key="float") for _ in range(2)] + [caller.post(where, body)]
    assert [(answer.status_code, answer.json()) for answer in answers] == [(201, {"booked": True})] * 3
    assert cash_in(till) == 5_000
    assert told(caller.post(where, body | {"amount": "60.00"}, key="float")) == (409, "key_reused")
    assert told(caller.post(where, body | {"amount": 60})) == (400, "bad_value")
    assert cash_in(till) == 5_000
    end_shift(till)
    assert told(caller.post(f"staff/points/{till.point.code}/tills/1/closing", {})) == (409, "wrong_state")


def test_a_terminal_gets_a_key_that_is_shown_once_and_is_switched() -> None:
    caller, till = Caller(make_organizers()[0]), make_till()
    where = f"staff/points/{till.point.code}/tills/1/terminals"
    made = caller.post(where, {"serial": "T-900"})
    terminal = Terminal.objects.get()
    written = {
        "number": terminal.pk,
        "serial": "T-900",
        "till": str(till),
        "key_id": terminal.key_id,
        "key_kind": "hmac",
        "on": True,
        "closed_at": None,
        "seen_at": None,
    }
    assert (made.status_code, made.json()) == (201, written | {"secret": terminal.secret})
    again = caller.post(where, {"serial": "T-900"})
    assert (told(again), again.json()["field"]) == ((400, "bad_value"), "serial")
    bad = caller.post(where, {"serial": "T-901", "public_key": "xyz"})
    assert (told(bad), bad.json()["field"]) == ((400, "bad_value"), "public_key")
    assert caller.get("staff/terminals").json() == {"terminals": [written], "next": None}
    renewed = caller.post(f"staff/terminals/{terminal.pk}/key", {}).json()
    assert (renewed["secret"] != terminal.secret, renewed["key_id"] != terminal.key_id) == (True, True)
    off = caller.post(f"staff/terminals/{terminal.pk}/switch", {"on": False, "reason": "Stolen"})
    assert (off.status_code, off.json()) == (200, {"on": False})
    assert not Terminal.objects.get().enabled


def test_switched_off_a_terminals_next_request_is_refused() -> None:
    caller, till = Caller(make_organizers()[0]), make_till()
    key = make_terminal(till)
    assert Caller(key).post("terminal/heartbeats").status_code == 200
    caller.post(f"staff/terminals/{key.terminal.pk}/switch", {"on": False, "reason": "Stolen"})
    assert told(Caller(key).post("terminal/heartbeats")) == (403, "switched_off")


def test_certificates_are_registered_for_tills_and_terminals() -> None:
    caller, till = Caller(make_organizers()[0]), make_till()
    terminal = make_terminal(till).terminal
    body = {"number": "C-9", "valid_from": "2026-01-01", "valid_until": "2027-01-01"}
    of_till = caller.post(f"staff/points/{till.point.code}/tills/1/certificates", body)
    of_terminal = caller.post(f"staff/terminals/{terminal.pk}/certificates", body)
    assert (of_till.status_code, of_till.json()) == (201, {"equipment": str(till), **body})
    assert (of_terminal.status_code, of_terminal.json()) == (201, {"equipment": terminal.serial, **body})
    wrong = caller.post(f"staff/terminals/{terminal.pk}/certificates", body | {"valid_until": "2025-01-01"})
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "valid_until")
    far = caller.post(f"staff/terminals/{terminal.pk}/certificates", body | {"valid_until": "9999-12-31"})
    assert (told(far), far.json()["field"]) == ((400, "bad_value"), "valid_until")
    listed = caller.get("staff/certificates?page_size=2").json()
    assert listed["certificates"] == [of_terminal.json(), of_till.json()]
    assert listed["next"] is not None
    latest = EquipmentCertificate.objects.filter(terminal=terminal).latest("pk")
    assert latest.valid_until == date(2027, 1, 1)


def test_t2_sales_are_paused_and_resumed() -> None:
    (one, other), _point = make_organizers(), make_point("S1")
    caller = Caller(one)
    paused = caller.post("staff/pauses", {"cause": "Lightning", "channel": "cash", "point": "S1"})
    incident = Incident.objects.get()
    written = {
        "number": incident.pk,
        "pool": None,
        "channel": "cash",
        "point": "S1",
        "state": "open",
        "cause": "Lightning",
        "started_at": instant(incident.started_at),
        "started_by": one.username,
        "job": "",
        "ended_at": None,
        "ended_by": None,
        "outcome": "",
    }
    assert (paused.status_code, paused.json()) == (201, written)
    for wrong in ({"pool": "NONE"}, {"point": "NONE"}):
        assert told(caller.post("staff/pauses", {"cause": "x"} | wrong)) == (404, "not_found")
    assert told(caller.post("staff/pauses", {"cause": "x", "channel": "smoke"})) == (400, "bad_value")
    assert Incident.objects.count() == 1
    where = f"staff/pauses/{incident.pk}/end"
    resumed = Caller(other).post(where, {"outcome": "It is over"}).json()
    incident.refresh_from_db()
    assert incident.state == IncidentState.ENDED
    assert incident.ended_at is not None
    end = {"state": "ended", "ended_at": instant(incident.ended_at), "ended_by": other.username}
    assert resumed == written | end | {"outcome": "It is over"}
    assert told(caller.post(where, {"outcome": "It is over"})) == (409, "wrong_state")
    assert caller.get("staff/pauses?state=open").json()["pauses"] == []
    assert caller.get("staff/pauses").json()["pauses"] == [resumed]

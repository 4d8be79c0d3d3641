"""The outbox and the result feeds over the API: who may, with whom, and that feeds only propose (U1, U2)."""

import json
from typing import Any

import pytest

from accounts.models import Role, User
from pools.models import Pool, PoolState, Protocol, ResultEntry, ResultProposal
from pools.services.result_feeds import propose_from_file, side_by_side
from pools.services.results import enter_result
from pools.services.telling_bets import number_what_happened
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_player, make_pool, make_user
from tests.refusals import every_row
from tests.resulting import close_by_clock, make_result, members_of
from totalizator.core.models import OutboxEvent, Subscriber
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db
STATE = {"name": "the state", "url": "https://events.example/in", "kinds": ["pool.announced"], "mandatory": True}


def proposed(by: User) -> dict[str, Any]:
    answer = Caller(by).post("events/subscribers", STATE)
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


def subscriber_rows() -> list[tuple[object, ...]]:
    """Every subscriber as it is stored; logging in changes other rows."""
    return every_row()["core_subscriber"]


def test_two_people_let_a_subscriber_be_told_and_it_fetches_what_it_wants() -> None:
    one, other = make_organizers()
    made = proposed(one)
    number = made["number"]
    before = subscriber_rows()
    assert told(Caller(one).post(f"events/subscribers/{number}/approval")) == (403, "same_person")
    assert told(fetch(made["token"])) == (401, "not_logged_in")
    assert subscriber_rows() == before
    assert Caller(other).post(f"events/subscribers/{number}/approval").json()["state"] == "active"
    pools = [make_pool(is_open=False) for _ in range(3)]
    number_what_happened()
    first = fetch(made["token"], "after=0&limit=2").json()
    second = fetch(made["token"], f"after={first['through']}").json()
    events = first["events"] + second["events"]
    assert [event["subject"] for event in events] == [f"pool:{pool.code}" for pool in pools]
    assert {event["kind"] for event in events} == {"pool.announced"}
    assert second["through"] == OutboxEvent.objects.count()
    assert Subscriber.objects.get(pk=number).delivered == 0  # fetching moves nothing


def fetch(token: str, query: str = "after=0") -> Any:
    return Caller().get(f"events?{query}", Authorization=f"Bearer {token}")


def test_a_subscriber_is_stopped_by_two_and_its_token_with_it() -> None:
    one, other = make_organizers()
    made = proposed(one)
    path = f"events/subscribers/{made['number']}"
    Caller(other).post(f"{path}/approval")
    assert told(Caller(one).post(f"{path}/stop/approval")) == (409, "wrong_state")
    assert Caller(one).post(f"{path}/stop", {"reason": "moved"}).json()["state"] == "active"
    assert told(Caller(one).post(f"{path}/stop/approval")) == (403, "same_person")
    assert fetch(made["token"]).status_code == 200
    assert Caller(other).post(f"{path}/stop/approval").json()["state"] == "stopped"
    assert told(fetch(made["token"])) == (401, "not_logged_in")


def test_a_new_address_takes_the_place_of_the_old_one() -> None:
    one, other = make_organizers()
    old, new = proposed(one), proposed(one)
    for made in (old, new):
        Caller(other).post(f"events/subscribers/{made['number']}/approval")
    states = [each["state"] for each in Caller(one).get("events/subscribers").json()["subscribers"]]
    assert states == ["stopped", "active"]


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_staff_manage_subscribers_and_nobody_is_shown_a_secret_again(role: Role) -> None:
    made = proposed(make_organizers()[0])
    stranger = Caller(make_user(role))
    before = subscriber_rows()
    for answer in (
        stranger.get("events/subscribers"),
        stranger.post("events/subscribers", STATE),
        stranger.post(f"events/subscribers/{made['number']}/approval"),
    ):
        assert told(answer) == (403, "not_allowed")
    assert subscriber_rows() == before
    listed = Caller(make_organizers()[0]).get("events/subscribers").content.decode()
    assert made["secret"] not in listed
    assert made["token"] not in listed
    assert made["secret"] not in repr(every_row())


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:192.168.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://user:password@events.example/",
        "https://events.example/#x",
        "ftp://events.example/",
        "file:///etc/passwd",
        "https:// events.example/",
        "nonsense",
    ],
)
def test_an_address_of_our_own_networks_is_refused(url: str) -> None:
    staff = Caller(make_organizers()[0])
    answer = staff.post("events/subscribers", STATE | {"url": url})
    assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), "url")
    assert not Subscriber.objects.exists()


def closed_pool_with_feeds() -> tuple[Pool, Caller]:
    pool = make_pool()
    close_by_clock(pool)
    staff = Caller(make_organizers()[0])
    for name, form in (("agency", "json"), ("league", "csv")):
        assert staff.post("result-feeds", {"name": name, "format": form}).status_code == 201
    return pool, staff


def says(pool: Pool, caller: Caller, feed: str, file: str) -> Any:
    return caller.post(f"pools/{pool.code}/result-proposals", {"feed": feed, "name": f"{feed}.txt", "file": file})


def test_feeds_propose_side_by_side_and_nothing_becomes_an_entry() -> None:
    pool, staff = closed_pool_with_feeds()
    said = json.dumps({"pool": pool.code, "conditions": {"1": ["1"], "2": ["X"], "3": "void"}})
    table = f"pool;condition;outcomes\n{pool.code};1;1\n{pool.code};2;X+2\n"
    assert says(pool, staff, "agency", said).status_code == 201
    assert says(pool, staff, "agency", said).json()["number"] == ResultProposal.objects.get().pk  # the same file
    assert says(pool, staff, "league", table).status_code == 201
    member = members_of(pool)[0]
    seen = Caller(member).get(f"pools/{pool.code}/result-proposals").json()
    assert seen["differing"] == ["2"]
    assert [(each["feed"], each["digest"]) for each in seen["proposals"]] == [
        ("agency", digest(said.encode())),
        ("league", digest(table.encode())),
    ]
    assert seen["proposals"][0]["result"]["conditions"] == {"1": ["1"], "2": ["X"], "3": "void"}
    pool.refresh_from_db()
    assert (pool.state, ResultEntry.objects.count(), Protocol.objects.count()) == (PoolState.CLOSED, 0, 0)
    assert bytes(ResultProposal.objects.order_by("pk")[0].file) == said.encode()
    enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2"))
    assert ResultEntry.objects.get().member == member
    assert not Protocol.objects.exists()


def test_feeds_that_agree_make_no_result_either() -> None:
    pool, staff = closed_pool_with_feeds()
    said = {"pool": pool.code, "conditions": {"1": ["1"], "2": ["X"], "3": ["2"]}}
    rows = "".join(f"{pool.code};{number};{outcome}\n" for number, outcome in enumerate("1X2", start=1))
    for second in range(3):
        started = f"2026-01-01T00:00:0{second}Z"
        assert says(pool, staff, "agency", json.dumps(said | {"first_started_at": started})).status_code == 201
        assert says(pool, staff, "league", f"pool;condition;outcomes\n{rows}").status_code == 201
    assert ResultProposal.objects.count() == 4
    assert side_by_side(pool).differing == ()
    pool.refresh_from_db()
    assert (pool.state, ResultEntry.objects.count(), Protocol.objects.count()) == (PoolState.CLOSED, 0, 0)


@pytest.mark.parametrize(
    "file",
    [
        "",
        "{",
        '{"pool": "another", "conditions": {"1": ["1"]}}',
        '{"pool": "POOL", "conditions": {}}',
        '{"pool": "POOL", "conditions": {"9": ["1"]}}',
        '{"pool": "POOL", "conditions": {"1": ["7"]}}',
        '{"pool": "POOL", "conditions": {"1": []}}',
        '{"pool": "POOL", "conditions": {"1": ["1"]}, "first_started_at": "yesterday"}',
        '{"pool": "POOL", "conditions": {"1": ["1"]}, "official": true}',
    ],
)
def test_a_file_that_cannot_be_read_proposes_nothing(file: str) -> None:
    pool, staff = closed_pool_with_feeds()
    answer = says(pool, staff, "agency", file.replace("POOL", pool.code))
    assert told(answer) == (400, "bad_value")
    assert not ResultProposal.objects.exists()


def test_others_neither_propose_nor_see_proposals() -> None:
    pool, _staff = closed_pool_with_feeds()
    for stranger in (make_player(), make_user(Role.COMMISSION)):
        assert told(Caller(stranger).get(f"pools/{pool.code}/result-proposals")) == (403, "not_allowed")
        assert told(says(pool, Caller(stranger), "agency", "{}")) == (403, "not_allowed")
    assert not ResultProposal.objects.exists()


def test_the_module_of_feeds_cannot_reach_the_entering_of_results() -> None:
    module = propose_from_file.__globals__
    assert "enter_result" not in module
    assert "ResultEntry" not in module

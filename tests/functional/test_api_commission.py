"""The commission over the API, from evidence to the paper, and what the staff and the public may see (¶10, H1-H5)."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Role
from pools.models import Pool
from tests.functional.calling import Caller
from tests.making import PASSPHRASE, make_pool, make_user
from tests.resulting import close_by_clock, make_result, members_of
from tests.settling import sell
from totalizator.core import clock
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db


def closed_pool() -> tuple[Pool, list[Caller]]:
    pool = close_by_clock(make_pool())
    return pool, [Caller(member) for member in members_of(pool)]


def file(caller: Caller, pool: Pool, **change: Any) -> Any:
    form = {"source_name": "The league", "captured_at": clock.now().isoformat(), "condition": "2"}
    form |= {"file": SimpleUploadedFile("x.txt", b"2:2")} | change
    return caller.client.post(f"/api/v1/commission/pools/{pool.code}/evidence", form)


def test_a_result_goes_from_evidence_to_the_paper() -> None:
    pool, (first, second, third) = closed_pool()
    at = f"commission/pools/{pool.code}"
    filed = file(first, pool)
    assert filed.status_code == 201, filed.content
    assert (filed.json()["condition"], filed.json()["digest"]) == ("2", digest(b"2:2"))
    listed = second.get(f"{at}/evidence").json()["evidence"]
    assert [each["condition"] for each in listed] == [None, "2"]
    assert second.get(f"{at}/evidence/{filed.json()['number']}").content == b"2:2"
    entry = {"result": make_result(pool, "1;X;2"), "evidence": [each["number"] for each in listed]}
    told = first.post(f"{at}/entries", entry).json()
    assert told == {"attempt": 1, "entries": 1, "differing": [], "protocol": None}
    differs = entry | {"result": make_result(pool, "1;1;2")}
    assert second.post(f"{at}/entries", differs).json()["differing"] == ["2"]
    shown = second.get(f"{at}/differences").json()
    assert shown["differences"] == [{"place": "2", "entered": [["X"], ["1"]]}]
    assert third.get(f"{at}/differences").status_code == 404
    first.post(f"{at}/entries", entry)
    assert third.post(f"{at}/entries", entry).json()["protocol"] == f"{pool.code}/1"
    standing = second.get(f"{at}/protocol").json()
    assert third.post(f"{at}/dissents", {"words": "It was 0:1.", "passphrase": PASSPHRASE}).json()["beside"] is False
    stale = {"read": standing["digest"], "passphrase": PASSPHRASE}
    answer = second.post(f"{at}/signatures", stale)
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_state")
    read = second.get(f"{at}/protocol").json()["digest"]
    signed = [caller.post(f"{at}/signatures", {"read": read, "passphrase": PASSPHRASE}) for caller in (second, first)]
    assert [answer.json() for answer in signed] == [{"sealed": False}, {"sealed": True}]
    public = Caller()
    (version,) = public.get(f"pools/{pool.code}/protocols").json()["protocols"]
    assert (version["number"], len(version["result"]["signatures"])) == (f"{pool.code}/1", 2)
    paper = public.get(f"pools/{pool.code}/protocols/1")
    assert (paper.status_code, paper["Content-Type"], paper.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert public.get(f"pools/{pool.code}/protocols/2").status_code == 404
    assert public.client.get(f"/pools/{pool.code}/protocol.pdf").content == paper.content
    assert re.search("protocols/1.pdf", public.client.get(f"/pools/{pool.code}/result/").content.decode())


def test_a_correction_over_the_api_makes_a_second_version() -> None:
    pool, (first, second, _third) = closed_pool()
    at = f"commission/pools/{pool.code}"
    for caller in (first, second):
        caller.post(f"{at}/entries", {"result": make_result(pool, "1;X;2")})
    correction = {"result": make_result(pool, "2;X;2"), "reason": "Mixed up.", "document": "Sheet 1"}
    assert first.post(f"{at}/corrections", correction | {"reason": ""}).status_code == 400
    first.post(f"{at}/corrections", correction)
    assert second.post(f"{at}/corrections", correction).json()["protocol"] == f"{pool.code}/2"
    assert second.get(f"{at}/protocol").json()["version"] == 2


def test_evidence_and_entries_of_strangers_and_fools_are_refused() -> None:
    pool, (first, _second, _third) = closed_pool()
    at = f"commission/pools/{pool.code}"
    stranger, staff = Caller(make_user(Role.COMMISSION)), Caller(make_user(Role.ORGANIZER))
    for caller in (stranger, staff):
        assert file(caller, pool).json()["code"] == "not_allowed"
        assert caller.post(f"{at}/entries", {"result": make_result(pool, "1;X;2")}).json()["code"] == "not_allowed"
    assert stranger.get(f"{at}/evidence").json()["code"] == "not_allowed"
    assert staff.get(f"{at}/evidence").status_code == 200
    assert file(first, pool, condition="9").json()["field"] == "condition"
    assert file(first, pool, captured_at="yesterday").status_code == 400
    assert first.post(f"{at}/entries", {"result": "1;X;2"}).status_code == 400
    answer = first.post(f"{at}/entries", {"result": make_result(pool, "1;X;2"), "evidence": [10**9]}).json()
    assert (answer["code"], answer["field"]) == ("bad_value", "evidence")
    declared = first.post(f"{at}/conflicts", {"reason": "My club."})
    assert declared.status_code == 201
    answer = first.post(f"{at}/entries", {"result": make_result(pool, "1;X;2")})
    assert (answer.status_code, answer.json()["code"], answer.json()["bet"]) == (403, "conflict", False)
    assert pool.result_entries.count() == 0


def test_lost_keys_and_pools_that_nobody_can_seal() -> None:
    pool, members = closed_pool()
    one, other = (Caller(make_user(Role.ORGANIZER)) for _ in range(2))
    assert one.get("commission/pools/short-of-signers").json() == {"pools": []}
    for member in members_of(pool)[:2]:
        at = f"commission/keys/{member.commission_keys.get().key_id}/revocation"
        number = one.post(at, {"reason": "Lost."}).json()["number"]
        assert one.post(f"{at}/{number}/approval", {}).json()["code"] == "same_person"
        assert other.post(f"{at}/{number}/approval", {}).json()["revoked_at"] is not None
    (short,) = one.get("commission/pools/short-of-signers").json()["pools"]
    assert (short["pool"], len(short["able"]), short["need"]) == (pool.code, 1, 2)
    assert members[0].get("commission/pools/short-of-signers").status_code == 403


def test_32_a_late_annulment_is_noted_over_the_api() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    member, at = Caller(members_of(pool)[0]), f"commission/pools/{pool.code}/annulments"
    noted = {"condition": "2", "reason": "Disqualified.", "document": "Decision 7"}
    assert member.post(at, noted).json()["code"] == "wrong_state"
    assert member.get(at).json() == {"annulments": []}

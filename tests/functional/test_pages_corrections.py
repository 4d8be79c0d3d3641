"""A corrected pool as anyone sees it: pages, API, files; and the organizer's page on which a correction is given up."""

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from pools.models import AbandonedCorrection, Pool
from pools.queries.corrections import being_corrected
from tests.correcting import correct, enter_correction
from tests.functional.browsing import visitor
from tests.functional.calling import Caller
from tests.making import make_organizers, make_pool
from tests.resulting import members_of
from tests.settling import sell, settle

pytestmark = pytest.mark.django_db


def corrected_pool() -> tuple[Pool, str, str]:
    """A pool that was settled by 1 and should have been by 2; the tickets that bet on them."""
    pool = make_pool("sportloto-variant")
    wrong, right = sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correct(pool, "2")
    return pool, wrong, right


def page(address: str) -> str:
    answer = visitor(None).get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_the_corrected_result_stands_first_and_leads_to_the_first_and_to_what_changed() -> None:
    pool, wrong, right = corrected_pool()
    assert f"/pools/{pool.code}/changes/" in page(f"/pools/{pool.code}/")
    latest = page(f"/pools/{pool.code}/result/")
    assert f"{pool.code}/2" in latest
    assert f"/pools/{pool.code}/result/1/" in latest
    first = page(f"/pools/{pool.code}/result/1/")
    assert f"{pool.code}/1" in first
    assert f"/pools/{pool.code}/bundles/1.zip" in first
    changes = page(f"/pools/{pool.code}/changes/")
    assert wrong in changes
    assert right in changes
    assert changes.count("1.40") == 2
    for address in (f"/pools/{pool.code}/result/3/", f"/pools/{pool.code}/bundles/9999999.zip"):
        assert visitor(None).get(address).status_code == 404
    other = make_pool("sportloto-variant")
    sell(other, ("1", 100))
    settle(other, "1")
    assert visitor(None).get(f"/pools/{other.code}/changes/").status_code == 404


def test_a_tickets_page_has_the_corrected_winning_and_what_it_had_won() -> None:
    _pool, wrong, right = corrected_pool()
    lost, won = page(f"/t/{wrong}/"), page(f"/t/{right}/")
    assert lost.count("1.40") == 1  # by the first result
    assert won.count("1.40") == 1
    assert won.count("0.00") == 1


def test_the_api_tells_what_is_in_force_and_each_version() -> None:
    pool, wrong, right = corrected_pool()
    caller = Caller()
    numbers = [
        caller.get(f"pools/{pool.code}/result{query}").json()["protocol"]["version"]
        for query in ("", "?version=1", "?version=2")
    ]
    assert numbers == [2, 1, 2]
    assert caller.get(f"pools/{pool.code}/statement?version=3").status_code == 404
    told = caller.get(f"pools/{pool.code}/correction").json()
    assert (told["version"], told["corrects"], told["sums"]["winnings"]) == (2, 1, {"before": 140, "after": 140})
    changed = b"".join(caller.get(f"pools/{pool.code}/changed.csv").streaming_content)
    rows = sorted([f"{wrong},winning,140,0", f"{right},winning,0,140"])
    assert changed.decode().splitlines() == ["ticket,kind,before,after", *rows]
    (opened,) = [each for each in caller.get("open-data/pools").json()["pools"] if each["code"] == pool.code]
    assert opened["correction"] == told
    assert opened["result"]["protocol"]["version"] == 2


def test_both_bundles_are_handed_out_and_exported(tmp_path: Path) -> None:
    pool, _wrong, _right = corrected_pool()
    archives = {}
    for version in (1, 2):
        answer: Any = visitor(None).get(f"/pools/{pool.code}/bundles/{version}.zip")
        archives[version] = set(ZipFile(BytesIO(b"".join(answer.streaming_content))).namelist())
    assert {name.partition("/")[0] for name in archives[1]} == {pool.code}
    assert {name.partition("/")[0] for name in archives[2]} == {f"{pool.code}.2"}
    assert len(archives[2]) == len(archives[1]) + 2 == 11
    export = (("", tmp_path / "now"), ("--protocol=1", tmp_path / "first"))
    for option, folder in export:
        call_command("export_pool", pool.code, str(folder), *([option] if option else []), stdout=StringIO())
    assert (tmp_path / "now" / "correction.json").exists()
    assert not (tmp_path / "first" / "correction.json").exists()
    versions = [json.loads((folder / "result.json").read_bytes())["protocol"]["version"] for _option, folder in export]
    assert versions == [2, 1]
    with pytest.raises(CommandError, match="not settled by version 3"):
        call_command("export_pool", pool.code, str(tmp_path / "no"), "--protocol=3", stdout=StringIO())


def test_while_a_correction_is_signed_everybody_reads_that_nothing_is_paid_and_members_find_it() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    before = page(f"/pools/{pool.code}/")
    enter_correction(pool, "2")
    now = page(f"/pools/{pool.code}/")
    assert (before.count("note warn"), now.count("note warn")) == (0, 1)
    assert f"{pool.code}/1" in page(f"/pools/{pool.code}/result/")
    desk = visitor(members_of(pool)[0]).get("/commission/").content.decode()
    assert desk.count(f"/commission/{pool.code}/protocol/") == 2  # waits, and is among the settled


def test_the_organizers_give_a_correction_up_on_their_page() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    one, other = (visitor(each) for each in make_organizers())
    address = f"/desk/pools/{pool.code}/correction/"
    assert '<form method="post" class="card">' not in one.get(address).content.decode()
    enter_correction(pool, "2")
    assert address in one.get(f"/desk/pools/{pool.code}/").content.decode()
    assert one.post(address, {"reason": ""}).status_code == 400
    assert one.post(address, {"reason": "No error."}).status_code == 302
    shown = other.get(address).content.decode()
    number = shown.partition('name="number" value="')[2].partition('"')[0]
    assert f"{address}approve/" not in one.get(address).content.decode()
    assert one.post(f"{address}approve/", {"number": number}).status_code == 403
    assert being_corrected(pool)
    assert other.post(f"{address}approve/", {"number": number}).status_code == 302
    assert not being_corrected(pool)
    assert AbandonedCorrection.objects.get(pool=pool).version == 2


def test_staff_give_a_correction_up_over_the_api() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    enter_correction(pool, "2")
    one, other = (Caller(each) for each in make_organizers())
    proposed = one.post(f"staff/pools/{pool.code}/abandonments", {"reason": "No error."})
    assert proposed.status_code == 201
    number = proposed.json()["number"]
    assert one.post(f"staff/abandonments/{number}/approval", {}).json()["code"] == "same_person"
    (listed,) = other.get("staff/abandonments").json()["abandonments"]
    assert (listed["number"], listed["pool"], listed["version"], listed["approved"]) == (number, pool.code, 2, False)
    assert other.post(f"staff/abandonments/{number}/approval", {}).status_code == 200
    assert not being_corrected(pool)


def test_the_status_page_tells_of_a_correction_that_differs() -> None:
    pool, _wrong, _right = corrected_pool()
    (told,) = [each for each in Caller().get("status").json()["pools"] if each["pool"] == pool.code]
    assert (told["standing"], told["official_at"] is not None) == ("agree", True)

"""Time-stamps over the API and on the pages: what is downloaded is what openssl verifies (X1)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from pools.models import LogHead, LogStamp
from pools.services.log_stamps import stamp_newest_head
from pools.services.public_log import append_to_log
from tests.daytime import go_by_true_time
from tests.fakes.authority import FakeAuthority, openssl, running
from tests.functional.browsing import visitor
from tests.functional.calling import Caller, told
from tests.functional.test_api_reading import valid
from tests.making import make_pool
from totalizator.core import clock
from totalizator.engine.instants import instant_text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _by_true_time(db: None) -> None:
    go_by_true_time()


@pytest.fixture
def notary(tmp_path: Path) -> Iterator[FakeAuthority]:
    with running(tmp_path / "notary") as fake, override_settings(TIMESTAMP_AUTHORITIES={"notary": fake.settings()}):
        yield fake


def stamped(subject: str, kind: str = "journal") -> LogStamp:
    append_to_log(kind=kind, subject=subject, document=b"a document", at=clock.now())
    stamp_newest_head(actor="test")
    return LogStamp.objects.latest("pk")


def test_x1_the_two_files_of_a_stamp_verify_with_openssl(notary: FakeAuthority, tmp_path: Path) -> None:
    stamp, caller = stamped("journal:1"), Caller()
    (shown,) = valid("log/stamps", caller.get("log/stamps"))["stamps"]
    assert shown == {
        "authority": "notary",
        "size": 1,
        "at": instant_text(stamp.at),
        "serial": "1",
        "token": "/api/v1/log/heads/1/stamps/notary.tsr",
        "head": "/api/v1/log/heads/1/head.json",
    }
    files = {name: caller.get(shown[name].removeprefix("/api/v1/")) for name in ("token", "head")}
    assert files["token"]["Content-Type"] == "application/timestamp-reply"
    for name, answer in files.items():
        (tmp_path / name).write_bytes(answer.content)
    words = ("ts", "-verify", "-data", tmp_path / "head", "-in", tmp_path / "token", "-CAfile", notary.ca_file)
    assert openssl(*words).returncode == 0
    assert files["head"].content == LogHead.objects.get().document_text.encode() + b"\n"
    for name, answer in files.items():
        again = caller.get(shown[name].removeprefix("/api/v1/"), **{"If-None-Match": answer["ETag"]})
        assert again.status_code == 304


def test_x1_a_pool_shows_the_first_stamp_over_its_commitment_and_no_earlier_one(notary: FakeAuthority) -> None:
    pool, caller = make_pool(), Caller()
    clock.reset_clock()  # the authority goes by the true one
    stamped("journal:1")
    path = f"pools/{pool.code}/stamps"
    assert valid("pools/{code}/stamps", caller.get(path)) == {"pool": pool.code, "stamps": []}
    stamped(pool.code, "commitment")
    stamped("journal:2")
    assert [each["size"] for each in caller.get(path).json()["stamps"]] == [2]
    assert [each["size"] for each in caller.get("log/stamps").json()["stamps"]] == [3, 2, 1]
    assert [each["size"] for each in caller.get("log/stamps?size=2").json()["stamps"]] == [2]
    assert notary.asked == 3


def test_the_status_and_the_log_show_each_authority(notary: FakeAuthority) -> None:
    stamped("journal:1")
    notary.broken = True
    append_to_log(kind="journal", subject="journal:2", document=b"", at=clock.now())
    stamp_newest_head(actor="test")
    (standing,) = valid("status", Caller().get("status"))["time_stamps"]
    assert standing.pop("stamp")["size"] == 1
    assert standing == {"authority": "notary", "url": notary.url, "waiting": 1, "late": False}
    for page in ("/log/", "/status/"):
        assert "/api/v1/log/heads/1/stamps/notary.tsr" in visitor().get(page).content.decode()


def test_what_was_never_stamped_is_not_there(notary: FakeAuthority) -> None:
    stamped("journal:1")
    for path in ("log/heads/2/head.json", "log/heads/2/stamps/notary.tsr", "log/heads/1/stamps/other.tsr"):
        assert told(Caller().get(path)) == (404, "not_found")
    assert told(Caller().get("log/stamps?size=0")) == (400, "bad_value")
    assert (Caller().get("log/stamps?size=7").json()["stamps"], notary.asked) == ([], 1)

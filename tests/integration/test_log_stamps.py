"""Others time-stamp the heads of the public log: what holds is kept, what does not is asked for again (X1)."""

import json
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from pools import tasks
from pools.models import Commitment, LogEntry, LogHead, LogStamp, Pool
from pools.queries.log_stamps import head_file, stamp_standings, stamps_of_commitment
from pools.services import publishing
from pools.services.log_stamps import stamp_newest_head
from pools.services.public_log import append_to_log
from tests.daytime import go_by_true_time
from tests.engine.bundles import engine
from tests.fakes.authority import FakeAuthority, altered, make_authority, openssl, reply, running
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import sell
from totalizator.core import clock, timestamps
from totalizator.core.models import JournalRecord
from totalizator.core.timestamps import Authority, NotStamped, ask_for_stamp, read_stamp
from totalizator.engine.instants import instant_text

pytestmark = pytest.mark.django_db
MESSAGE = b"a head\n"


@pytest.fixture(autouse=True)
def _by_true_time(db: None) -> None:
    go_by_true_time()


@pytest.fixture
def notary(settings: object, tmp_path: Path) -> Iterator[FakeAuthority]:
    with running(tmp_path / "notary") as fake:
        settings.TIMESTAMP_AUTHORITIES = {"notary": fake.settings()}  # type: ignore[attr-defined]
        yield fake


def of(fake: FakeAuthority) -> Authority:
    return Authority("notary", fake.url, str(fake.ca_file))


def grow(subject: str = "journal:1") -> LogHead:
    append_to_log(kind="journal", subject=subject, document=b"a seal", at=clock.now())
    return LogHead.objects.latest("size")


def stamp() -> list[LogStamp]:
    return stamp_newest_head(actor="test")


def failures() -> list[str]:
    return list(JournalRecord.objects.filter(act="stamp_head_failed").order_by("id").values_list("reason", flat=True))


def verified(folder: Path, head: bytes, token: bytes, ca_file: Path) -> subprocess.CompletedProcess[str]:
    """What docs/log.md tells an outsider to run."""
    (folder / "head.json").write_bytes(head)
    (folder / "token.tsr").write_bytes(token)
    return openssl("ts", "-verify", "-data", "head.json", "-in", "token.tsr", "-CAfile", ca_file, folder=folder)


def close_now(pool: Pool) -> Pool:
    """Close a pool whose closing is now by the true clock, which the authority goes by."""
    pool = close_by_clock(pool, after=timedelta(seconds=1))
    clock.reset_clock()
    return pool


def pool_that_closes_now() -> Pool:
    clock.move_clock(timedelta(hours=-26))
    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("1;X;2", 100))
    return pool


def test_x1_a_commitment_is_stamped_before_the_first_start_and_openssl_agrees(
    notary: FakeAuthority, tmp_path: Path
) -> None:
    pool = close_now(pool_that_closes_now())
    (kept,) = stamp()
    committed = Commitment.objects.get(pool=pool).committed_at
    started = clock.now() + timedelta(hours=1)
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;1;1", started_at=started)
    assert committed - timedelta(seconds=2) <= kept.at < started
    assert stamps_of_commitment(pool.code) == [kept]
    assert kept.head.size > LogEntry.objects.get(kind="commitment", subject=pool.code).index
    head = LogHead.objects.get(size=kept.head_id)
    run = verified(tmp_path, head_file(head), bytes(kept.answer), notary.ca_file)
    assert (run.returncode, "Verification: OK" in run.stdout + run.stderr) == (0, True)
    assert json.loads(head_file(head))["root"] == head.root
    call_command("export_log", str(tmp_path), stdout=StringIO())
    call_command("export_keys", str(tmp_path / "keys.json"), stdout=StringIO())
    call_command("export_pool", pool.code, str(tmp_path / pool.code), stdout=StringIO())
    (tmp_path / "head.json").write_bytes(head_file(head))
    words = (tmp_path / "log.jsonl", "--keys", tmp_path / "keys.json", "--head", tmp_path / "head.json")
    told = engine("verify-log", *words, "--bundle", tmp_path / pool.code)
    fixed = f"the bets of {pool.code} were fixed in line {head.size}, at {instant_text(committed)}"
    assert (told.code, told.out.splitlines()[:2]) == (0, ["OK", fixed])
    assert f"/api/v1/log/heads/{head.size}/stamps/notary.tsr" in Client().get(f"/pools/{pool.code}/").content.decode()
    assert head_file(head) == head.document_text.encode() + b"\n"


def test_openssl_refuses_another_head_and_an_altered_token(notary: FakeAuthority, tmp_path: Path) -> None:
    one = grow()
    (kept,) = stamp()
    other, token = grow("journal:2"), bytes(kept.answer)
    assert verified(tmp_path, head_file(one), token, notary.ca_file).returncode == 0
    for head, answer in ((other, token), (one, altered(token))):
        assert verified(tmp_path, head_file(head), answer, notary.ca_file).returncode != 0


def test_a_token_over_another_head_an_altered_one_and_a_strangers_are_refused(
    notary: FakeAuthority, tmp_path: Path
) -> None:
    token = ask_for_stamp(of(notary), MESSAGE).answer
    assert read_stamp(token, MESSAGE, of(notary)).answer == token
    make_authority(tmp_path / "stranger")
    request = TimestampRequestBuilder(MESSAGE, HashAlgorithm.SHA256).build()
    strangers = reply(tmp_path / "stranger", request.as_bytes())
    for answer, message, why in (
        (token, b"another head\n", "Mismatch between messages"),
        (altered(token), MESSAGE, "Error while verifying"),
        (strangers, MESSAGE, "Error while verifying"),
        (token[:-1], MESSAGE, "ValueError"),
        (token.replace(sha256(MESSAGE).digest(), sha256(b"other").digest()), b"other", "Error while verifying"),
    ):
        with pytest.raises(NotStamped, match=why):
            read_stamp(answer, message, of(notary))
    with pytest.raises(NotStamped, match="Nonce mismatch"):
        read_stamp(token, MESSAGE, of(notary), nonce=1)
    with pytest.raises(NotStamped, match="FileNotFoundError"):
        read_stamp(token, MESSAGE, Authority("notary", notary.url, str(tmp_path / "nowhere.pem")))


def test_what_does_not_hold_is_not_stored_and_is_told_once(notary: FakeAuthority) -> None:
    grow()
    stamp()
    head = grow("journal:2")
    for misdeed in ("repeating", "altering", "refusing", "broken"):
        setattr(notary, misdeed, True)
        assert stamp() == stamp() == []
        setattr(notary, misdeed, False)
    assert not head.stamps.exists()
    assert [reason.partition(": ")[2].partition(":")[0] for reason in failures()] == [
        "VerificationError",
        "VerificationError",
        "refused",
        "answered 500",
    ]
    (kept,) = stamp()
    assert (kept.head_id, kept.authority, kept.serial) == (head.size, "notary", str(len(notary.given)))


def test_a_token_from_before_its_head_or_from_the_future_is_refused(notary: FakeAuthority) -> None:
    clock.move_clock(timedelta(minutes=2))
    grow()
    assert stamp() == []
    clock.move_clock(timedelta(minutes=-4))
    assert stamp() == []
    assert [reason.rpartition("is from")[2] for reason in failures()] == [" before the head, or from the future"]
    assert (notary.asked, LogStamp.objects.count()) == (2, 0)


def test_a_head_is_stamped_once_by_each_and_the_newest_is_enough(notary: FakeAuthority) -> None:
    assert stamp() == []  # nothing is logged yet
    for number in range(3):
        grow(f"journal:{number}")
    (kept,) = stamp()
    assert (stamp(), notary.asked, kept.head_id) == ([], 1, 3)


def test_one_authority_that_is_down_stops_no_other_and_is_shown_as_late(
    notary: FakeAuthority, settings: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, "_WAIT", 0.3)
    with running(tmp_path / "second") as second:
        known = {"a-silent": second.settings(), "notary": notary.settings()}
        settings.TIMESTAMP_AUTHORITIES = known  # type: ignore[attr-defined]
        second.silent = True
        grow()
        (kept,) = stamp()
        assert (kept.authority, failures()) == ("notary", ["NotStamped: no answer: ReadTimeout"])
        told = [(each.name, each.newest, each.waiting, each.late) for each in stamp_standings()]
        assert told == [("a-silent", None, 1, False), ("notary", kept, 0, False)]
        clock.move_clock(timedelta(minutes=11))
        assert [each.late for each in stamp_standings()] == [True, False]


def test_closing_asks_for_a_stamp_and_never_waits_for_it(
    notary: FakeAuthority, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: object
) -> None:
    notary.broken = True
    sent: list[str] = []
    monkeypatch.setattr(publishing, "enqueue_stamping", lambda: sent.append("stamp"))
    pool = close_by_clock(make_pool())
    assert (sent, notary.asked, Commitment.objects.filter(pool=pool).count()) == (["stamp"], 0, 1)
    tasks.stamp_newest_head()
    assert (LogStamp.objects.count(), notary.asked) == (0, 1)


def test_without_authorities_nobody_is_asked() -> None:
    grow()
    assert (stamp(), stamp_standings(), failures()) == ([], [], [])


def test_a_stamp_is_never_changed_or_removed(notary: FakeAuthority) -> None:
    grow()
    stamp()
    for sql in ("UPDATE pools_logstamp SET at = at", "DELETE FROM pools_logstamp"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert LogStamp.objects.count() == 1

"""The operator goes on with another key: what the one before signed stays proved (X1, X2, X6)."""

import json
from base64 import b64encode
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from payouts.queries.reports.significant import significant_events
from payouts.services.log_checks import check_log
from pools import tasks
from pools.models import LogEntry, LogHead, OperatorKey, OperatorKeyNotice
from pools.services.bet_receipts import receipt_of
from pools.services.commission_keys import published_keys
from pools.services.kept_heads import HeadVerdict, judge_head
from pools.services.operator_keys import register_operator_key
from pools.services.printed_tickets import TicketVerdict, judge_ticket, qr_text
from pools.services.public_log import append_to_log
from pools.snapshots.bundle import write_bundle
from tests.engine.bundles import Run, engine
from tests.functional.calling import Caller
from tests.functional.test_api_reading import valid
from tests.making import bet_in_cash, make_pool, make_till
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.core.signing import operator_key_id
from totalizator.engine.canonical import digest, json_file

pytestmark = pytest.mark.django_db
OLD, NEW = "11" * 32, "22" * 32


def append() -> None:
    append_to_log(kind="journal", subject="journal:1", document=b"a seal", at=clock.now())


def verified(folder: Path, command: str, content: bytes) -> Run:
    (folder / "keys.json").write_bytes(json_file(published_keys()))
    (folder / "asked.json").write_bytes(content)
    return engine(command, folder / "asked.json", "--keys", folder / "keys.json")


def registered() -> list[str]:
    return list(OperatorKey.objects.order_by("first_used_at").values_list("key_id", flat=True))


def test_a5_what_the_former_key_signed_verifies_after_the_change(settings: Any, tmp_path: Path) -> None:
    settings.OPERATOR_KEY = OLD
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    placed = bet_in_cash(pool, till, "1", 100)
    text = qr_text(placed.bet, placed.check_code)
    settle(pool, "1")
    write_bundle(pool, tmp_path / "old")
    newest = LogHead.objects.latest("size")
    head, receipt = newest.document_text, json_file(receipt_of(placed.bet))
    old = operator_key_id()
    settings.OPERATOR_KEY = NEW
    for registered_too in (False, True):  # right after the change, and once the new key has signed
        if registered_too:
            append()
            assert registered() == [old, operator_key_id()]
        newest = LogHead.objects.latest("size")
        judged = judge_head(head, newest)
        assert (judged.verdict, judged.signed) == (HeadVerdict.CONSISTENT, True)
        assert judge_ticket(text, placed.bet.ticket).verdict == TicketVerdict.BOOKED
        assert verified(tmp_path, "verify-receipt", receipt).code == 0
        run = engine("verify", tmp_path / "old", "--keys", tmp_path / "keys.json")
        assert (run.code, run.out.splitlines()[0]) == (0, "OK")
        assert check_log().broken == ()
    roles = {name: key["role"] for name, key in published_keys().items() if name.startswith("operator-")}
    assert roles == {old: "operator", operator_key_id(): "operator"}
    forged = json.loads(head)
    forged["root"] = "0" * 64
    assert judge_head(json.dumps(forged), newest).verdict == HeadVerdict.NOT_SIGNED


def test_a5_a_key_is_registered_once_and_another_one_is_a_significant_event(settings: Any) -> None:
    settings.OPERATOR_KEY = OLD
    append()
    append()
    (old,) = registered()
    settings.OPERATOR_KEY = NEW
    tasks.register_operator_key()
    tasks.register_operator_key()
    new = operator_key_id()
    assert registered() == [old, new]
    acts = JournalRecord.objects.filter(subject__startswith="operator_key:").order_by("id")
    assert [(row.act, row.subject, row.before) for row in acts] == [
        ("register_operator_key", f"operator_key:{old}", None),
        ("change_operator_key", f"operator_key:{new}", {"keys": [old]}),
    ]
    now = clock.now()
    events = significant_events(now - timedelta(hours=1), now + timedelta(hours=1))
    assert [event.subject for event in events if event.kind.endswith("operator_key")] == [f"operator_key:{new}"]
    settings.OPERATOR_KEY = OLD
    assert register_operator_key().key_id == old
    assert registered() == [old, new]


def test_a5_the_former_key_names_the_new_one_in_the_public_log(settings: Any, tmp_path: Path) -> None:
    settings.OPERATOR_KEY = OLD
    append()
    old_keys, old = json_file(published_keys()), operator_key_id()
    settings.OPERATOR_KEY, settings.FORMER_OPERATOR_KEY = NEW, OLD
    for _again in range(2):
        said = StringIO()
        call_command("rotate_operator_key", stdout=said)
        assert said.getvalue() == f"{operator_key_id()}: named by {old}\n"
    notice = OperatorKeyNotice.objects.get()
    line = LogEntry.objects.get(kind="report")
    assert (line.subject, line.digest) == (
        f"operator-key:{operator_key_id()}",
        digest(notice.document_text.encode()),
    )
    assert check_log().broken == ()
    shown = valid("log/operator-keys", Caller().get("log/operator-keys"))["keys"]
    assert [(key["key"], key["notice"]) for key in shown] == [
        (old, None),
        (operator_key_id(), json.loads(notice.document_text)),
    ]
    (tmp_path / "notice.json").write_text(notice.document_text)
    (tmp_path / "kept.json").write_bytes(old_keys)  # without the new key
    verify = ("verify-key-notice", tmp_path / "notice.json", "--keys", tmp_path / "kept.json")
    run = engine(*verify)
    at = json.loads(notice.document_text)["at"]
    assert (run.code, run.out) == (0, f"OK\n{old} named {operator_key_id()} as the key after it, at {at}\n")
    other = json.loads(notice.document_text) | {"public": b64encode(bytes(32)).decode()}
    (tmp_path / "notice.json").write_bytes(json_file(other))
    assert engine(*verify).code == 1
    late = json.loads(notice.document_text) | {"at": "2030-01-01T00:00:00.000000Z"}
    (tmp_path / "notice.json").write_bytes(json_file(late))
    run = engine(*verify)
    assert (run.code, run.out) == (
        1,
        f"notice.json, signatures: the one by {old!r} is not its signature of this file\n",
    )


def test_a5_without_the_former_key_the_change_is_registered_and_nothing_is_published(settings: Any) -> None:
    settings.OPERATOR_KEY = OLD
    append()
    settings.OPERATOR_KEY = NEW
    said = StringIO()
    call_command("rotate_operator_key", stdout=said)
    assert said.getvalue() == f"{operator_key_id()}: no notice: FORMER_OPERATOR_KEY is not set\n"
    assert (LogEntry.objects.count(), OperatorKeyNotice.objects.count(), len(registered())) == (1, 0, 2)


def test_a5_a_key_that_never_signed_here_names_nothing(settings: Any) -> None:
    settings.OPERATOR_KEY = OLD
    append()
    for new, former, told in ((NEW, "33" * 32, "Nothing was ever signed"), (OLD, OLD, "are the same")):
        settings.OPERATOR_KEY, settings.FORMER_OPERATOR_KEY = new, former
        with pytest.raises(CommandError, match=told):
            call_command("rotate_operator_key")
        assert (LogEntry.objects.count(), OperatorKeyNotice.objects.count(), len(registered())) == (1, 0, 1)


def test_a5_a_registered_key_is_never_changed() -> None:
    append()
    for change in (OperatorKey.objects.all().delete, lambda: OperatorKey.objects.update(public="")):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert len(registered()) == 1

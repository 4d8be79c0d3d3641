"""The public log: dense, ordered, signed, written together with what it tells of (X1, X6)."""

import json
from base64 import b64decode
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.test import override_settings

from pools.models import BetChunk, Commitment, LogEntry, LogHead, LogKind, LogNode, Pool, Settlement
from pools.queries.log_nodes import hashes_of
from pools.services import making_official
from pools.services.public_log import append_to_log
from pools.services.publishing import publish_settlement
from pools.services.settling import settle_pool
from pools.snapshots.result import result_document, sealed_protocol
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import sell
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.core.signing import operator_key_id, operator_public_key
from totalizator.engine.canonical import digest, json_file
from totalizator.engine.ed25519 import verify
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import instant_text
from totalizator.engine.log import head_payload
from totalizator.engine.merkle import MerkleTree, leaf_hash
from totalizator.engine.merkle_proofs import consistency_ranges, inclusion_ranges

pytestmark = pytest.mark.django_db


def append(document: bytes, subject: str = "2411-1", *, back: timedelta = timedelta(0)) -> LogEntry:
    return append_to_log(kind="commitment", subject=subject, document=document, at=clock.now() - back)


def close_in_time(pool: Pool) -> None:
    """Close a minute after the announced closing, and let the first event begin an hour after it."""
    close_by_clock(pool)
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;1;1", started_at=pool.closes_at + timedelta(hours=1))


def settled_pool() -> Pool:
    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("1;X;2", 100))
    close_in_time(pool)
    settle_pool(code=pool.code, actor="test")
    pool.refresh_from_db()
    return pool


def test_x6_an_entry_is_one_canonical_line_under_a_signed_head() -> None:
    entry = append(b"the document\n")
    assert json.loads(entry.line) == {
        "index": 0,
        "kind": "commitment",
        "subject": "2411-1",
        "version": 1,
        "digest": digest(b"the document\n"),
        "at": instant_text(entry.at),
    }
    assert entry.line == json.dumps(json.loads(entry.line), sort_keys=True, separators=(",", ":"))
    head = json.loads(LogHead.objects.get(size=1).document_text)
    (signature,) = head.pop("signatures")
    at = instant_text(LogHead.objects.get(size=1).at)
    root = leaf_hash(entry.line.encode()).hex()
    assert head == {"format": 1, "log": settings.OPERATOR_NAME, "size": 1, "root": root, "at": at}
    assert (signature["key"], signature["algorithm"]) == (operator_key_id(), "ed25519")
    assert verify(operator_public_key(), head_payload(head), b64decode(signature["signature"]))


def test_x6_every_head_has_the_root_over_its_lines_and_the_stored_nodes_are_the_tree() -> None:
    leaves, tree = [], MerkleTree()
    for number in range(37):
        entry = append(b"%d" % number)
        leaves.append(leaf_hash(entry.line.encode()))
        tree.add(leaves[-1])
        assert LogHead.objects.get(size=number + 1).root == tree.root().hex()
    assert list(LogEntry.objects.order_by("index").values_list("index", flat=True)) == list(range(37))
    for size in (1, 2, 21, 32, 37):
        for part in {*inclusion_ranges(size // 2, size), *consistency_ranges(size, 37)}:
            whole = MerkleTree()
            whole.extend(leaves[part[0] : part[1]])
            assert hashes_of([part]) == [whole.root()]
    assert LogNode.objects.count() == 37 + 18 + 9 + 4 + 2 + 1


def test_an_entry_is_never_dated_before_the_head_in_front_of_it() -> None:
    append(b"first")
    before = LogHead.objects.get(size=1).at
    assert append(b"second", back=timedelta(days=1)).at == before
    assert LogHead.objects.get(size=2).at > before


def test_the_log_keeps_its_name() -> None:
    append(b"first")
    name = settings.OPERATOR_NAME
    with override_settings(OPERATOR_NAME="Renamed"):
        append(b"second")
    assert [json.loads(head.document_text)["log"] for head in LogHead.objects.all()] == [name, name]


def test_an_unknown_kind_is_refused_and_nothing_is_written() -> None:
    with pytest.raises(ValueError, match="gossip"), transaction.atomic():
        append_to_log(kind="gossip", subject="2411-1", document=b"", at=clock.now())
    assert (LogEntry.objects.count(), LogHead.objects.count(), LogNode.objects.count()) == (0, 0, 0)


def test_a_line_that_no_verifier_would_read_is_refused_and_nothing_is_written() -> None:
    for subject, version in (("two words", 1), ("", 1), ("2411-1", 0)):
        with pytest.raises(EngineError), transaction.atomic():
            append_to_log(kind="journal", subject=subject, document=b"", at=clock.now(), version=version)
    assert (LogEntry.objects.count(), LogHead.objects.count(), LogNode.objects.count()) == (0, 0, 0)


def test_x1_a_pool_is_logged_when_it_is_sealed_resulted_and_settled() -> None:
    pool = settled_pool()
    protocol = sealed_protocol(pool)
    assert protocol is not None
    documents = [
        Commitment.objects.get(pool=pool).document_text.encode(),
        json_file(result_document(protocol)),
        Settlement.objects.get(pool=pool).manifest_text.encode(),
    ]
    entries = LogEntry.objects.order_by("index")
    assert [(entry.kind, entry.subject, entry.version) for entry in entries] == [
        ("commitment", pool.code, 1),
        ("protocol", pool.code, 1),
        ("settlement", pool.code, 1),
    ]
    assert [entry.digest for entry in entries] == [digest(document) for document in documents]
    assert entries[0].at == Commitment.objects.get(pool=pool).committed_at
    assert not JournalRecord.objects.filter(act="flag_late_commitment").exists()


def test_x1_a_commitment_after_the_first_start_is_flagged_when_the_start_is_known() -> None:
    pool = make_pool()
    close_by_clock(pool, after=timedelta(minutes=2))
    committed = Commitment.objects.get(pool=pool).committed_at
    seal(pool, "1;1;1", started_at=pool.closes_at)
    record = JournalRecord.objects.get(act="flag_late_commitment")
    assert record.subject == f"pool:{pool.code}"
    assert record.after == {
        "committed_at": instant_text(committed),
        "first_started_at": instant_text(pool.closes_at),
    }


def test_x6_an_act_that_fails_leaves_nothing_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool()
    close_in_time(pool)
    publish = publish_settlement

    def publish_and_fail(*words: object, **names: object) -> None:
        publish(*words, **names)  # type: ignore[arg-type]
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(making_official, "publish_settlement", publish_and_fail)
    with pytest.raises(RuntimeError):
        settle_pool(code=pool.code, actor="test")
    assert (LogEntry.objects.count(), LogHead.objects.count()) == (2, 2)
    monkeypatch.undo()
    settle_pool(code=pool.code, actor="test")
    assert list(LogEntry.objects.order_by("index").values_list("kind", flat=True))[2:] == [LogKind.SETTLEMENT]


@pytest.mark.parametrize("table", ["logentry", "lognode", "loghead", "betchunk"])
def test_nothing_of_the_log_is_changed_or_removed_by_anyone(table: str) -> None:
    settled_pool()
    connection.check_constraints()
    column = {"logentry": "digest", "lognode": "hash", "loghead": "root", "betchunk": "root"}[table]
    for sql in (f"UPDATE pools_{table} SET {column} = {column}", f"DELETE FROM pools_{table}"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert BetChunk.objects.count() == 1
    assert (LogEntry.objects.count(), LogNode.objects.count(), LogHead.objects.count()) == (3, 4, 3)

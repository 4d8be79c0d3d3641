"""Evidence: filed, named by both entries, in the signed document by digest, and still what was filed (H4, X5)."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection, transaction

from accounts.models import Role
from pools.models import FeedFormat, Pool, ProtocolSignature
from pools.services.closing import close_pool
from pools.services.evidence import file_evidence, file_proposal, read_evidence
from pools.services.protocols import sign_protocol
from pools.services.result_feeds import add_feed, propose_from_file
from pools.services.results import enter_result
from tests.making import PASSPHRASE, make_pool, make_user
from tests.refusals import refused
from tests.resulting import draw_up, file_proof, make_result, members_of
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.filed_files import MOST_BYTES
from totalizator.engine.canonical import digest
from totalizator.engine.instants import instant_text

pytestmark = pytest.mark.django_db


def closed_without_proof() -> Pool:
    pool = make_pool()
    clock.move_clock(pool.closes_at - clock.now() + timedelta(minutes=1))
    return close_pool(code=pool.code, actor="test")


def facts(condition: str) -> dict[str, Any]:
    """What is told of a file, less who files it."""
    told = {"condition": condition, "source": "The league", "address": "", "captured_at": clock.now()}
    return told | {"content": b"1:0", "original_name": "a.txt"}


def test_h4_no_result_is_entered_without_evidence_of_each_condition() -> None:
    pool = closed_without_proof()
    enter = partial(enter_result, code=pool.code, member=members_of(pool)[0], result=make_result(pool, "1;X;2"))
    refusal = refused(enter)
    assert (refusal.code, refusal.http_status) == (Refusal.EVIDENCE_MISSING, 409)
    assert refusal.details == {"conditions": ["1", "2", "3"]}
    first, second = file_proof(pool, "1"), file_proof(pool, "2", content=b"match 2")
    assert refused(enter).details == {"conditions": ["3"]}
    third = file_proof(pool, "3", content=b"match 3")
    assert refused(lambda: enter(evidence=[first.pk, second.pk])).details == {"conditions": ["3"]}
    assert refused(lambda: enter(evidence=[first.pk, second.pk, 0])).code is Refusal.BAD_VALUE
    assert refused(lambda: enter(evidence=[])).code is Refusal.EVIDENCE_MISSING
    assert enter(evidence=[third.pk, second.pk, first.pk]).entries == 1
    assert pool.result_entries.get().evidence == [first.pk, second.pk, third.pk]


def test_the_protocol_names_what_both_entries_are_known_from() -> None:
    pool = closed_without_proof()
    whole = file_proof(pool)
    third, first = file_proof(pool, "3", content=b"3"), file_proof(pool, "1", content=b"1")
    unnamed = file_proof(pool, "2", content=b"nobody looked at this")
    result = make_result(pool, "1;X;2")
    one, other = members_of(pool)[:2]
    enter_result(code=pool.code, member=one, result=result, evidence=[whole.pk, third.pk])
    enter_result(code=pool.code, member=other, result=result, evidence=[whole.pk, first.pk])
    named = json.loads(pool.protocols.get().document_text)["protocol"]["evidence"]
    assert [each.get("condition") for each in named] == [None, "1", "3"]
    assert [each["digest"] for each in named] == [whole.digest, first.digest, third.digest]
    assert named[1] == {
        "condition": "1",
        "source": "The federation https://example.org/round",
        "captured_at": instant_text(first.captured_at),
        "digest": digest(b"1"),
    }
    assert unnamed.digest not in str(named)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": b""}, "file"),
        ({"content": b"x" * (MOST_BYTES + 1)}, "file"),
        ({"content": b"\xff\xfe no text"}, "file"),
        ({"source": "  "}, "source"),
        ({"address": "x" * 501}, "address"),
        ({"condition": "9"}, "condition"),
        ({"captured_at": None}, "captured_at"),
    ],
)
def test_evidence_that_says_nothing_is_refused(change: dict[str, Any], field: str) -> None:
    pool = closed_without_proof()
    told: dict[str, Any] = {
        "condition": "1",
        "source": "The league",
        "address": "",
        "captured_at": clock.now(),
        "content": b"1:0",
    }
    told |= {"original_name": "a.txt", "filed_by": members_of(pool)[0]} | change
    told["captured_at"] = told["captured_at"] or clock.now() + timedelta(hours=1)
    refusal = refused(lambda: file_evidence(code=pool.code, **told))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_evidence_is_filed_by_members_after_closing() -> None:
    pool = make_pool()
    assert refused(lambda: file_proof(pool)).code is Refusal.WRONG_STATE
    pool = closed_without_proof()
    for person in (make_user(Role.COMMISSION), make_user(Role.ORGANIZER)):
        refusal = refused(partial(file_evidence, code=pool.code, filed_by=person, **facts("")))
        assert refusal.code is Refusal.NOT_ALLOWED


def test_what_a_feed_proposed_becomes_evidence_with_its_own_file() -> None:
    pool = closed_without_proof()
    staff, member = make_user(Role.ORGANIZER), members_of(pool)[0]
    feed = add_feed(name="The wire", feed_format=FeedFormat.CSV, added_by=staff)
    text = f"pool;condition;outcomes\n{pool.code};1;1\n".encode()
    proposal = propose_from_file(feed=feed, code=pool.code, name="wire.csv", file=text, brought_by=staff)
    filed = file_proposal(code=pool.code, number=proposal.pk, filed_by=member)
    assert (filed.source, filed.address, filed.digest) == ("The wire", "wire.csv", proposal.digest)
    assert (filed.captured_at, read_evidence(filed)) == (proposal.captured_at, text)
    other = closed_without_proof()
    refusal = refused(lambda: file_proposal(code=other.code, number=proposal.pk, filed_by=members_of(other)[0]))
    assert refusal.code is Refusal.NOT_FOUND


def test_x5_a_swapped_file_is_found_and_nothing_is_signed() -> None:
    pool = closed_without_proof()
    filed = file_proof(pool, content=b"1:0 2:2 0:3")
    draw_up(pool, "1;X;2")
    storage, name = filed.file.storage, str(filed.file)
    storage.delete(name)
    member = members_of(pool)[0]
    sign = partial(sign_protocol, code=pool.code, member=member, passphrase=PASSPHRASE)
    assert refused(sign).code is Refusal.EVIDENCE_CHANGED  # gone
    storage.save(name, ContentFile(b"1:0 2:2 3:0"))
    refusal = refused(sign)
    assert (refusal.code, refusal.details) == (Refusal.EVIDENCE_CHANGED, {"number": filed.pk})
    storage.delete(name)
    storage.save(name, ContentFile(b"1:0 2:2 0:3"))
    assert sign() is False
    assert ProtocolSignature.objects.count() == 1


def test_the_database_keeps_evidence_as_it_was_filed() -> None:
    file_proof(closed_without_proof())
    for sql in ("UPDATE pools_evidence SET digest = 'sha256:0'", "DELETE FROM pools_evidence"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(sql)

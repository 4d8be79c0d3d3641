"""Protocols name the one before; dissent stands in the document or beside it; lost keys; the paper (¶10, H2, X5)."""

import base64
import json
from functools import partial

import pypdfium2
import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import translation

from accounts.models import Role
from pools.models import LogEntry, Pool, Protocol, ProtocolDissent
from pools.services.commission_keys import create_key, revoke_key
from pools.services.dissents import dissent, dissent_payload
from pools.services.late_annulments import note_late_annulment
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.protocol_pdf import protocol_pdf
from pools.services.protocols import document_digest, sign_protocol
from pools.services.sealing_outlook import pools_short_of_signers, sealing_outlook
from pools.snapshots.result import result_document, result_file
from tests.making import PASSPHRASE, make_organizers, make_pool, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, members_of, seal
from tests.settling import sell, settle
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import digest
from totalizator.engine.ed25519 import verify
from totalizator.engine.result import parse_result

pytestmark = pytest.mark.django_db


def drawn_up() -> Pool:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    return pool


def previous(pool: Pool) -> str | None:
    named: str | None = json.loads(Protocol.objects.get(pool=pool).document_text)["protocol"]["previous"]
    return named


def test_each_protocol_names_the_one_that_was_sealed_last_as_the_log_does() -> None:
    first = seal(close_by_clock(make_pool()), "1;X;2")
    assert previous(first) is None
    second, third = drawn_up(), drawn_up()
    of_first = digest(result_file(Protocol.objects.get(pool=first)))
    assert previous(second) == previous(third) == of_first
    assert of_first in LogEntry.objects.filter(kind="protocol", subject=first.code).values_list("digest", flat=True)
    for member in members_of(third)[:2]:
        sign_protocol(code=third.code, member=member, passphrase=PASSPHRASE)
    assert previous(drawn_up()) == digest(result_file(Protocol.objects.get(pool=third)))


def test_dissent_before_the_first_signature_is_in_what_all_sign() -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    read = document_digest(Protocol.objects.get(pool=pool))
    said = dissent(code=pool.code, member=third, words="Match 2 ended 0:1.", passphrase=PASSPHRASE)
    assert said.signature == ""
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    refusal = refused(lambda: sign(member=first, read=read))  # another document than was read
    assert refusal.code is Refusal.WRONG_STATE
    read = document_digest(Protocol.objects.get(pool=pool))
    assert [sign(member=member, read=read) for member in (first, second)] == [False, True]
    document = result_document(Protocol.objects.get(pool=pool))
    key = third.commission_keys.get().key_id
    assert document["protocol"]["dissent"] == [{"member": key, "opinion": "Match 2 ended 0:1."}]
    assert parse_result(pool.terms, document).right["2"] == {"X"}
    record = JournalRecord.objects.get(act="dissent")
    assert (record.actor, record.reason) == (third.actor, "Match 2 ended 0:1.")
    assert record.after == {"document": read, "beside": False}


def test_dissent_after_a_signature_is_a_signed_statement_beside_and_its_member_may_sign() -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    sign(member=first)
    text = Protocol.objects.get(pool=pool).document_text
    said = dissent(code=pool.code, member=second, words="I doubt match 3.", passphrase=PASSPHRASE)
    protocol = Protocol.objects.get(pool=pool)
    assert protocol.document_text == text
    key = second.commission_keys.get()
    public, signature = base64.b64decode(key.public), base64.b64decode(said.signature)
    assert verify(public, dissent_payload(protocol, said), signature)
    said.words = "I agree."
    assert not verify(public, dissent_payload(protocol, said), signature)
    again = partial(dissent, code=pool.code, member=second, words="And more.", passphrase=PASSPHRASE)
    assert refused(again).code is Refusal.WRONG_STATE
    assert sign(member=second) is True
    assert refused(lambda: again(member=third)).code is Refusal.WRONG_STATE  # sealed
    assert ProtocolDissent.objects.count() == 1


def test_dissent_needs_words_the_passphrase_and_a_protocol() -> None:
    pool = close_by_clock(make_pool())
    member, stranger = members_of(pool)[0], make_user(Role.COMMISSION)
    say = partial(dissent, code=pool.code, member=member, words="No.", passphrase=PASSPHRASE)
    assert refused(say).code is Refusal.WRONG_STATE
    draw_up(pool, "1;X;2")
    assert refused(lambda: say(words=" ")).code is Refusal.BAD_VALUE
    assert refused(lambda: say(member=stranger)).code is Refusal.NOT_ALLOWED
    with pytest.raises(DomainError) as caught:
        say(passphrase="a wrong passphrase")
    assert caught.value.code is Refusal.WRONG_CODE
    assert not ProtocolDissent.objects.exists()


def test_the_database_lets_dissent_be_added_until_the_first_signature_and_never_taken_out() -> None:
    pool = drawn_up()
    first, second, _third = members_of(pool)
    dissent(code=pool.code, member=second, words="No.", passphrase=PASSPHRASE)
    change = "UPDATE pools_protocol SET document_text = %s"
    document = json.loads(Protocol.objects.get(pool=pool).document_text)
    without, another = json.loads(json.dumps(document)), json.loads(json.dumps(document))
    without["protocol"]["dissent"] = []
    another["conditions"]["1"] = ["2"]
    more = json.loads(json.dumps(document))
    more["protocol"]["dissent"].append("One more.")
    for wrong in (without, another):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(change, [json.dumps(wrong)])
    sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        connection.cursor().execute(change, [json.dumps(more)])
    assert json.loads(Protocol.objects.get(pool=pool).document_text) == document


def test_a_lost_key_is_revoked_by_two_people_and_its_member_makes_another() -> None:
    pool = make_pool()
    member = members_of(pool)[0]
    key = member.commission_keys.get()
    one, other = make_organizers()
    propose = partial(propose_key_revocation, key_id=key.key_id, reason="Lost with the phone.", proposed_by=one)
    assert refused(lambda: propose(proposed_by=member)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: propose(reason="")).code is Refusal.BAD_VALUE
    assert refused(lambda: propose(key_id="?")).code is Refusal.NOT_FOUND
    number = propose().pk
    approve = partial(approve_key_revocation, key_id=key.key_id, number=number, approved_by=other)
    assert refused(lambda: approve(approved_by=one)).code is Refusal.SAME_PERSON
    assert refused(lambda: approve(number=number + 1)).code is Refusal.NOT_FOUND
    assert refused(lambda: approve(approved_by=member)).code is Refusal.NOT_ALLOWED
    assert refused(partial(revoke_key, key_id=key.key_id, reason="x", revoked_by=one)).code is Refusal.NOT_ALLOWED
    assert approve().revoked_at is not None
    record = JournalRecord.objects.get(act="revoke_key")
    assert (record.actor, record.after) == (other.actor, {"proposed_by": one.actor})
    assert refused(approve).code is Refusal.WRONG_STATE
    assert create_key(member=member, passphrase=PASSPHRASE).key_id not in pool.terms.quorum.members  # type: ignore[union-attr]


def test_a_pool_with_too_few_keys_left_is_named() -> None:
    pool, other = drawn_up(), drawn_up()
    first, second, third = members_of(pool)
    assert pools_short_of_signers() == []
    for member in (first, second):
        assert not sealing_outlook(pool).is_short
        revoke_key(key_id=member.commission_keys.get().key_id, reason="lost", revoked_by=member)
    outlook = sealing_outlook(pool)
    assert (outlook.able, outlook.need) == ((third.commission_keys.get().key_id,), 2)
    assert [(short.code, told) for short, told in pools_short_of_signers()] == [(pool.code, outlook)]
    assert not sealing_outlook(other).is_short


def test_wrong_passphrases_are_slowed_down_by_key() -> None:
    pool = drawn_up()
    first, second, _third = members_of(pool)
    for number in range(10):
        with pytest.raises(DomainError) as caught:
            sign_protocol(code=pool.code, member=first, passphrase=f"a wrong passphrase {number}")
        assert caught.value.code is Refusal.WRONG_CODE
    refusal = refused(lambda: sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE))
    assert (refusal.code, refusal.http_status) == (Refusal.THROTTLED, 429)
    assert sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE) is False
    assert JournalRecord.objects.filter(act="wrong_passphrase").count() == 10


def test_the_paper_says_what_was_signed_and_is_the_same_each_time() -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    dissent(code=pool.code, member=third, words="Match 2 ended 0:1.", passphrase=PASSPHRASE)
    sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE)
    protocol = Protocol.objects.get(pool=pool)
    with translation.override("en"):
        paper = protocol_pdf(pool, protocol, address="https://example.org/pools/x/result/")
        assert paper == protocol_pdf(pool, protocol, address="https://example.org/pools/x/result/")
    words = text_of_pdf(paper)
    for said in (
        f"Protocol of the result No. {pool.code}/1",
        "Match 1",
        "Match 2 ended 0:1.",
        "The federation https://example.org/round",
        pool.evidence.get().digest[:26],
        first.username,
        first.commission_keys.get().key_id[:26],
        "Signatures: 2 of 2",
        "Chair",
        digest(result_file(protocol)),
    ):
        assert said in words, said
    with translation.override("ru"):
        assert protocol_pdf(pool, protocol, address="https://example.org/") != paper


def test_32_a_late_annulment_is_noted_and_changes_nothing() -> None:
    pool = make_pool()
    note = partial(
        note_late_annulment,
        code=pool.code,
        condition="2",
        reason="The club was disqualified.",
        document="Decision 7",
        noted_by=members_of(pool)[0],
    )
    assert refused(note).code is Refusal.WRONG_STATE
    sell(pool, ("1;X;2", 100))
    statement = settle(pool, "1;X;2")
    cashier = make_user(Role.CASHIER)
    assert refused(lambda: note(condition="9")).code is Refusal.BAD_VALUE
    assert refused(lambda: note(noted_by=cashier)).code is Refusal.NOT_ALLOWED
    note()
    again = Pool.objects.get(pk=pool.pk)
    assert (again.state, again.late_annulments.get().document) == ("settled", "Decision 7")
    assert json.loads(again.settlement.statement_text) == statement


def text_of_pdf(paper: bytes) -> str:
    """The words of all pages, in one line."""
    pages = pypdfium2.PdfDocument(paper)
    return " ".join(" ".join(page.get_textpage().get_text_bounded().split()) for page in pages)

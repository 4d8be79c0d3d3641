"""A dissent beside a protocol is published with it, stands in the public log, and anybody checks it (¶10, X5)."""

from functools import partial
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from payouts.services.log_checks import check_log
from pools.models import LogEntry, Protocol
from pools.services.commission_keys import published_keys
from pools.services.dissents import dissent
from pools.services.protocol_pdf import protocol_pdf
from pools.services.protocols import document_digest, sign_protocol
from tests.engine.bundles import engine
from tests.functional.calling import Caller
from tests.functional.test_api_reading import valid
from tests.integration.test_protocol_chain import drawn_up, text_of_pdf
from tests.making import PASSPHRASE
from tests.resulting import members_of
from tests.tampering import tamper
from totalizator.engine.canonical import digest, json_file

pytestmark = pytest.mark.django_db


def test_a12_a_dissent_beside_is_published_logged_and_checked_by_anybody(tmp_path: Path) -> None:
    pool = drawn_up()
    first, second, third = members_of(pool)
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    sign(member=first)
    for member, words in ((second, "I doubt match 3."), (third, "So do I.")):
        dissent(code=pool.code, member=member, words=words, passphrase=PASSPHRASE)
    assert not LogEntry.objects.filter(subject=f"{pool.code}/1").exists()  # what is not sealed is not public
    sign(member=second)
    (version,) = valid("pools/{code}/protocols", Caller().get(f"pools/{pool.code}/protocols"))["protocols"]
    said = version["dissents"]
    assert [(each["member"], each["words"], each["protocol"], each["document"]) for each in said] == [
        (member.commission_keys.get().key_id, words, f"{pool.code}/1", document_digest(Protocol.objects.get(pool=pool)))
        for member, words in ((second, "I doubt match 3."), (third, "So do I."))
    ]
    lines = LogEntry.objects.filter(subject=f"{pool.code}/1").order_by("index")
    assert [(line.kind, line.version, line.digest) for line in lines] == [
        ("report", number, digest(json_file(each))) for number, each in enumerate(said, 1)
    ]
    assert check_log().broken == ()
    (tmp_path / "keys.json").write_bytes(json_file(published_keys()))
    (tmp_path / "result.json").write_bytes(json_file(version["result"]))

    def verified(statement: dict[str, object]) -> tuple[int, str]:
        (tmp_path / "dissent.json").write_bytes(json_file(statement))
        keys, result = ("--keys", tmp_path / "keys.json"), ("--result", tmp_path / "result.json")
        run = engine("verify-dissent", tmp_path / "dissent.json", *keys, *result)
        return run.code, run.out

    key, named = said[0]["member"], said[0]["document"]
    assert verified(said[0]) == (0, f"OK\n{key} disagreed with protocol {pool.code}/1, whose document is {named}\n")
    wrong = f"dissent.json, signatures: the one by {key!r} is not its signature of this file\n"
    assert verified(said[0] | {"words": "I agree."}) == (1, wrong)
    assert verified(said[0] | {"document": digest(b"another")}) == (1, wrong)
    other = said[1]["member"]
    assert verified(said[0] | {"signatures": said[1]["signatures"]})[0] == 1
    assert verified(said[0] | {"signatures": []}) == (1, f"dissent.json, signatures: not signed by {key!r}\n")
    assert verified(said[1])[1].startswith(f"OK\n{other} disagreed")
    result = version["result"] | {"event_void": True}
    (tmp_path / "result.json").write_bytes(json_file(result))
    assert verified(said[0])[1].startswith(f"dissent.json, document: {named}, of result.json sha256:")


def test_a12_the_page_and_the_paper_show_key_document_and_signature() -> None:
    pool = drawn_up()
    first, second, _third = members_of(pool)
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    sign(member=first)
    said = dissent(code=pool.code, member=second, words="I doubt match 3.", passphrase=PASSPHRASE)
    sign(member=second)
    protocol = Protocol.objects.get(pool=pool)
    page = Client().get(f"/pools/{pool.code}/result/").content.decode()
    with translation.override("en"):
        words = text_of_pdf(protocol_pdf(pool, protocol, address="https://example.org/"))
    for shown in ("I doubt match 3.", said.key_id, document_digest(protocol), said.signature):
        assert escape(shown) in page
        assert shown[:39] in words


def test_a12_a_dissent_that_was_dropped_or_altered_is_found_in_the_log() -> None:
    pool = drawn_up()
    first, second, _third = members_of(pool)
    sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    dissent(code=pool.code, member=second, words="I doubt match 3.", passphrase=PASSPHRASE)
    sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE)
    table = ("pools_protocoldissent",)
    tamper("UPDATE pools_protocoldissent SET words = 'I agree.'", tables=table)
    assert check_log().broken == (f"report {pool.code}/1, version 1: its line has another digest",)

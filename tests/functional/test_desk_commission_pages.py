"""What the commission reads: what waits, the protocol as printed, the history and its chain, keys (¶10, H2, H5)."""

import json
from hashlib import sha256
from typing import Any

import pypdfium2
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Role
from pools.models import CommissionKey, Pool, Protocol
from pools.services.commission_waiting import Step, waiting_for
from pools.services.dissents import dissent
from pools.services.protocol_chain import chain_of
from pools.services.protocols import document_digest, sign_protocol
from pools.services.results import correct_result, enter_result
from tests.correcting import correct
from tests.functional.browsing import text_of, visitor
from tests.making import PASSPHRASE, make_commission, make_player, make_pool, make_user
from tests.resulting import close_by_clock, draw_up, file_proof, make_result, members_of, seal
from tests.settling import settle

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15
"""Of the commission's desk and of a result, whatever number of pools there is; the clock is not counted."""


def closed(keys: list[CommissionKey] | None = None) -> tuple[Pool, list[Client]]:
    pool = close_by_clock(make_pool(keys=keys or make_commission()))
    return pool, [visitor(member) for member in members_of(pool)]


def paper_of(answer: Any) -> str:
    pages = pypdfium2.PdfDocument(answer.content)
    return " ".join(" ".join(page.get_textpage().get_text_range() for page in pages).split())


def asked(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len([query for query in queries.captured_queries if "totalizator_now" not in (query["sql"] or "")])


def test_the_draft_is_read_as_it_will_be_printed_by_its_commission_alone() -> None:
    pool, (first, _second, _third) = closed()
    draw_up(pool, "1;X;void")
    protocol = Protocol.objects.get(pool=pool)
    page = text_of(first.get(f"/commission/{pool.code}/protocol/"))
    answer = first.get(f"/commission/{pool.code}/protocols/1.pdf")
    assert answer["Content-Disposition"] == f'inline; filename="{pool.code}-protocol-1.pdf"'
    paper = paper_of(answer)
    for said in (
        protocol.number,
        "not sealed",
        "The federation",
        "Match 2",
        "did not take place",
        "Signatures: 0 of 2",
    ):
        assert (said in page, said in paper) == (True, True), said
    signed = first.get(f"/commission/{pool.code}/protocols/1.json")
    assert signed.content == protocol.document_text.encode()
    named = f"sha256:{sha256(signed.content).hexdigest()}"
    assert (named in page, named[:39] in paper, document_digest(protocol)) == (True, True, named)
    for kind in ("pdf", "json"):
        address = f"/commission/{pool.code}/protocols/1.{kind}"
        assert visitor(make_user(Role.COMMISSION)).get(address).status_code == 404
        assert visitor(make_player()).get(address).status_code == 403
        assert first.get(f"/commission/{pool.code}/protocols/2.{kind}").status_code == 404
        assert first.get(f"/commission/{pool.code}/protocols/99999.{kind}").status_code == 404
    assert visitor().get(f"/pools/{pool.code}/protocols/1.pdf").status_code == 404


def test_the_desk_says_what_lacks_and_asks_no_more_for_many_pools() -> None:
    keys = make_commission()
    first = keys[0].member
    client = visitor(first)
    pool, _clients = closed(keys)
    draw_up(pool, "1;X;2")
    sign_protocol(code=pool.code, member=members_of(pool)[1], passphrase=PASSPHRASE)
    said = text_of(client.get("/commission/"))
    assert "read and sign the protocol 1 of 2 1 is lacking" in said
    few = asked(visitor(first), "/commission/")
    for place in range(3):
        other, _clients = closed(keys)
        if place:
            enter_result(code=other.code, member=keys[place].member, result=make_result(other, "1;X;2"))
    settled = make_pool(keys=keys)
    settle(settled, "1;X;2")
    assert asked(visitor(first), "/commission/") <= few + 1
    here, anybody = visitor(first), visitor()
    for client, page in ((here, "/commission/"), (anybody, f"/pools/{settled.code}/result/")):
        asked(client, page)  # what a process keeps for ten seconds is read, the log-in noted
        assert asked(client, page) <= MOST_QUERIES, page
    assert [each.step for each in waiting_for(first)] == [Step.SIGNATURE, Step.ENTRY, Step.ENTRY, Step.ENTRY]
    assert [each.step for each in waiting_for(keys[2].member)][-1] == Step.OTHER_ENTRY
    assert waiting_for(make_user(Role.COMMISSION)) == []


def test_a_correction_that_one_has_entered_waits_for_another() -> None:
    pool = seal(close_by_clock(make_pool()), "1;X;2")
    first, second = members_of(pool)[:2]
    assert waiting_for(second) == []
    words: dict[str, Any] = {"reason": "Misread.", "document": "Sheet 2"}
    correct_result(code=pool.code, member=first, result=make_result(pool, "1;2;2"), **words)
    assert [(each.step, each.mine) for each in waiting_for(first)] == [(Step.OTHER_ENTRY, False)]
    assert [(each.step, each.corrects) for each in waiting_for(second)] == [(Step.CORRECTION, True)]
    page = visitor(second).get("/commission/").content.decode()
    assert f'href="/commission/{pool.code}/correction/"' in page
    correct_result(code=pool.code, member=second, result=make_result(pool, "1;2;2"), **words)
    assert [(each.step, each.lacking) for each in waiting_for(second)] == [(Step.SIGNATURE, 2)]


def test_the_history_shows_each_version_and_whom_it_follows() -> None:
    keys = make_commission()
    member = keys[0].member
    one = make_pool(keys=keys)
    settle(one, "1;X;2")
    correct(one, "1;2;2")
    other, _clients = closed(keys)
    draw_up(other, "1;X;2")
    dissent(code=other.code, member=keys[2].member, words="It was 2.", passphrase=PASSPHRASE)
    chain = chain_of([one, other])
    first, second, third = chain[one.pk][1], chain[one.pk][0], chain[other.pk][0]
    assert (first.standing, first.before, first.previous) == ("sealed", None, None)
    assert (second.standing, second.previous, third.standing) == ("sealed", first.digest, "signing")
    assert second.before is not None
    assert third.before is not None
    assert (second.before.number, third.before.number) == (f"{one.code}/1", f"{one.code}/2")
    assert third.previous == second.digest
    client = visitor(member)
    said = text_of(client.get("/commission/history/"))
    for words in (f"Protocol {one.code}/2", "Correction: ", "It was 2.", first.digest, "the digest is its own"):
        assert words in said, words
    assert "not found by its digest" not in said
    assert f"Protocol {one.code}/1" not in text_of(client.get(f"/commission/history/?code={other.code}"))
    assert "No pool of yours with a protocol has this code." in text_of(client.get("/commission/history/?code=%00no"))
    few = asked(client, f"/commission/history/?code={other.code}")
    assert asked(client, "/commission/history/") == few
    assert one.code not in text_of(visitor(make_user(Role.COMMISSION)).get("/commission/history/"))


def test_a_version_that_was_never_sealed_stands_in_the_chain() -> None:
    pool, _clients = closed()
    draw_up(pool, "1;X;2")
    for member in members_of(pool)[:2]:
        right = make_result(pool, "1;2;2")
        correct_result(code=pool.code, member=member, result=right, reason="Misread.", document="Sheet 2")
    newest, first = chain_of([pool])[pool.pk]
    assert (first.standing, newest.standing, newest.previous) == ("replaced", "signing", first.digest)
    assert newest.before is not None
    assert newest.before.line is None
    assert [each.reason for each in newest.corrections] == ["Misread."] * 2
    client = visitor(members_of(pool)[0])
    assert "never sealed: corrected before" in text_of(client.get("/commission/history/"))
    assert "not sealed" in paper_of(client.get(f"/commission/{pool.code}/protocols/1.pdf"))


def test_my_keys_say_what_each_signed() -> None:
    pool = close_by_clock(make_pool())
    coming = make_pool(keys=list(CommissionKey.objects.order_by("created_at")))
    member = members_of(pool)[0]
    key = member.commission_keys.get()
    seal(pool, "1;X;2")
    client = visitor(member)
    assert f"{key.key_id} in force" in text_of(client.get("/commission/keys/"))
    page = text_of(client.get(f"/commission/key/{key.key_id}/"))
    assert (f"{pool.code}/1" in page, key.public in page, coming.code in page) == (True, True, True)
    assert "1 pool that is not decided yet counts on your key" in text_of(
        client.get(f"/commission/key/{key.key_id}/revoke/")
    )
    client.post(f"/commission/key/{key.key_id}/revoke/", {"reason": "Overheard."})
    page = text_of(client.get("/commission/keys/"))
    assert (f"{key.key_id} revoked" in page, "Make a key" in page) == (True, True)
    assert "You have no key in force." in text_of(client.get("/commission/"))
    assert visitor(members_of(pool)[1]).get(f"/commission/key/{key.key_id}/").status_code == 404


def test_the_organizer_finds_keys_and_proposes_by_choice() -> None:
    keys = make_commission()
    member = keys[0].member
    member.last_name = "Kramko"
    member.save()
    organizer = visitor(make_user(Role.ORGANIZER))
    path = "/desk/commission-keys/"
    found = text_of(organizer.get(f"{path}?words=kramko&state=force")).partition("All keys")[2]
    assert (keys[0].key_id in found, keys[1].key_id in found) == (True, False)
    assert "No key was made or found." in text_of(organizer.get(f"{path}?state=revoked"))
    assert organizer.get(f"{path}?state=odd&page=x").status_code == 200
    for form in ({"key_id": "member-none", "reason": "Lost."}, {"key_id": keys[0].key_id, "reason": ""}):
        assert organizer.post(path, form).status_code == 400
    assert not keys[0].revocation_proposals.exists()
    few = asked(organizer, path)
    make_commission(4)
    assert asked(organizer, path) == few


def test_words_of_a_protocol_are_shown_as_words() -> None:
    pool, (first, _second, _third) = closed()
    file_proof(pool, content=b"other")
    draw_up(pool, "1;X;2")
    dissent(code=pool.code, member=members_of(pool)[0], words="<b>2</b>", passphrase=PASSPHRASE)
    for path in (f"/commission/{pool.code}/protocol/", "/commission/history/"):
        assert "&lt;b&gt;2&lt;/b&gt;" in first.get(path).content.decode()
    assert json.loads(Protocol.objects.get(pool=pool).document_text)["protocol"]["dissent"][0]["opinion"] == "<b>2</b>"

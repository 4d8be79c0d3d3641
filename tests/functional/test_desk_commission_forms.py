"""Forms of the commission: evidence on the way, stale ones, sent twice, after a log-in that ended (¶10, H1, C36)."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pools.models import CommissionKey, Pool, Protocol, ProtocolSignature
from pools.services.commission_waiting import Step, waiting_for
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.test_desk_commission import entry
from tests.making import PASSPHRASE, make_commission, make_pool
from tests.resulting import close_by_clock, draw_up, members_of
from totalizator.core import clock

pytestmark = pytest.mark.django_db


def closed(keys: list[CommissionKey] | None = None) -> tuple[Pool, list[Client]]:
    pool = close_by_clock(make_pool(keys=keys or make_commission()))
    return pool, [visitor(member) for member in members_of(pool)]


def sheet(client: Client, path: str) -> dict[str, str]:
    """What a form of an entry says of itself: the attempt, and whom it was given to."""
    page = client.get(path)
    return {name: hidden(page, name) for name in ("attempt", "given_to")}


def checked(answer: Any) -> set[str]:
    """The marks of the grid that are set."""
    page = answer.content.decode()
    boxes = [part for part in page.split("<input ")[1:] if "checked" in part.partition(">")[0]]
    found = {(box.split('name="')[1].split('"')[0], box.split('value="')[1].split('"')[0]) for box in boxes}
    return {f"{name}={value}" for name, value in found if name.startswith(("condition", "several", "evidence"))}


def test_evidence_is_filed_on_the_way_and_what_was_marked_stays() -> None:
    pool = make_pool()
    close_by_clock(pool)
    first, second = (visitor(member) for member in members_of(pool)[:2])
    path = f"/commission/{pool.code}/result/"
    marked = sheet(first, path) | entry(pool, "1", "X+2", "void") | {"do": "file"}
    bad = first.post(
        path, marked | {"file-source": "The league", "file-captured_at_0": "", "file-captured_at_1": "UTC"}
    )
    assert (bad.status_code, pool.evidence.count(), pool.result_entries.count()) == (400, 1, 0)
    assert checked(bad) >= {"condition-1=1", "condition-2=several", "several-2=X", "several-2=2", "condition-3=void"}
    filed = {"file-condition": "2", "file-source": "The league", "file-address": "", "file-captured_at_1": "UTC"}
    filed |= {"file-captured_at_0": pool.closes_at.strftime("%d.%m.%Y %H:%M:%S")}
    answer = first.post(path, marked | filed | {"file-file": SimpleUploadedFile("x.txt", b"2:2")}, follow=True)
    assert answer.redirect_chain == [(path, 302)]  # so a refresh files nothing again
    proof = pool.evidence.latest("pk")
    assert (proof.source, proof.condition, pool.result_entries.count()) == ("The league", "2", 0)
    assert checked(answer) >= {"condition-1=1", "condition-2=several", "several-2=X", f"evidence={proof.pk}"}
    assert 'value="Rain."' in answer.content.decode()
    assert checked(second.get(path)) == {f"evidence={each.pk}" for each in pool.evidence.all()}
    entered = marked | sheet(first, path) | {"do": "enter", "evidence": [str(each.pk) for each in pool.evidence.all()]}
    first.post(path, entered)
    assert pool.result_entries.get().evidence == sorted(each.pk for each in pool.evidence.all())
    assert "kept_entry" not in first.session


def test_a_chosen_file_is_filed_with_the_entry_or_neither_is() -> None:
    pool, (first, _second, _third) = closed()
    path = f"/commission/{pool.code}/result/"
    marked = sheet(first, path) | entry(pool, "1", "X", "2") | {"evidence": []}
    about = {"file-condition": "", "file-source": "The league", "file-address": "", "file-captured_at_1": "UTC"}
    about |= {"file-captured_at_0": pool.closes_at.strftime("%d.%m.%Y %H:%M:%S")}
    for change, content in (
        ({"condition-3": ""}, b"2:2"),
        ({"file-source": ""}, b"2:2"),
        ({}, b"no picture \xff"),
        ({"first_started_at_0": "05.12.2031 15:00:00"}, b"2:2"),
    ):
        file = {"file-file": SimpleUploadedFile("x.txt", content)}
        answer = first.post(path, marked | about | change | file)
        assert (answer.status_code, "errorlist" in answer.content.decode()) == (400, True), change
        assert (pool.evidence.count(), pool.result_entries.count()) == (1, 0), change
        assert ("choose the file again" in text_of(answer)) is (content == b"2:2" and "file-source" not in change)
    answer = first.post(path, marked | about | {"file-file": SimpleUploadedFile("x.txt", b"2:2")})
    assert (answer.status_code, pool.evidence.count()) == (302, 2)
    assert pool.result_entries.get().evidence == [pool.evidence.latest("pk").pk]


def test_marks_outlive_a_log_in_that_ended_and_only_their_maker_sees_them() -> None:
    pool, (first, _second, _third) = closed()
    member, other = members_of(pool)[:2]
    path = f"/commission/{pool.code}/result/"
    marked = sheet(first, path) | entry(pool, "1", "X", "void")
    for next_one, sees in ((member, True), (other, False), (member, False)):
        if next_one is not member or sees:
            first.logout()
            answer = first.post(path, marked)
            assert (answer.status_code, answer["Location"]) == (302, f"/account/login/?next={path}")
            assert "Nothing is entered yet." in text_of(first.get(answer["Location"]))
        first.force_login(next_one)
        page = first.get(path)
        assert ({"condition-1=1", "condition-2=X", "condition-3=void"} <= checked(page)) is sees
        assert ("What you had marked is here again." in text_of(page)) is sees
        assert pool.result_entries.count() == 0
    first.logout()
    first.post(path, marked | {"given_to": "somebody"})
    first.force_login(member)
    assert "kept_entry" not in first.session


def test_a_log_in_that_ended_by_itself_keeps_the_marks_too() -> None:
    pool, (first, _second, _third) = closed()
    path = f"/commission/{pool.code}/result/"
    marked = sheet(first, path) | entry(pool, "2", "X", "1")
    clock.move_clock(timedelta(seconds=settings.SESSION_COOKIE_AGE))
    answer = first.post(path, marked, follow=True)
    assert answer.redirect_chain == [(f"/account/login/?next={path}", 302)]
    said = text_of(answer)
    assert "You were logged out because nothing was done for a while." in said
    assert "What you marked is there again once you log in." in said
    who = {"login": members_of(pool)[0].username, "password": "correct horse battery", "next": path}
    page = first.post("/account/login/", who, follow=True)
    assert {"condition-1=2", "condition-2=X", "condition-3=1"} <= checked(page)


def test_a_form_of_an_attempt_that_is_over_is_refused_in_words() -> None:
    pool, (first, second, third) = closed()
    path = f"/commission/{pool.code}/result/"
    stale = {client: sheet(client, path) | entry(pool, "1", "X", "2") for client in (first, third)}
    first.post(path, stale[first])
    twice = first.post(path, stale[first])
    assert (twice.status_code, "You have entered the result" in text_of(twice)) == (400, True)
    assert "Your entry is taken." in text_of(first.get(path))
    second.post(path, sheet(second, path) | entry(pool, "2", "X", "2"))
    refused = [client.post(path, stale[client]) for client in (first, third)]
    for answer in refused:
        assert (answer.status_code, "opened for an earlier attempt" in text_of(answer)) == (400, True)
    assert pool.result_entries.count() == 2
    assert "Compare the two entries" in text_of(first.get(path))
    assert "Compare the two entries" not in text_of(third.get(path))
    assert (checked(refused[1]) >= {"condition-1=1"}, hidden(refused[1], "attempt")) == (True, "2")
    again = stale[third] | {"attempt": hidden(refused[1], "attempt")}
    assert third.post(path, again).status_code == 302
    assert first.post(path, again).status_code == 302
    assert Protocol.objects.get(pool=pool).attempt == 2
    late = second.post(path, sheet(second, f"/commission/{pool.code}/correction/") | entry(pool, "2", "X", "2"))
    assert (late.status_code, "The protocol of this pool is drawn up." in text_of(late)) == (400, True)
    assert second.get(path)["Location"] == f"/commission/{pool.code}/protocol/"


def test_a_page_of_entry_says_at_once_what_forbids_it() -> None:
    pool = make_pool()
    client = visitor(members_of(pool)[0])
    page = client.get(f"/commission/{pool.code}/result/")
    assert "The result is entered after the pool has closed." in text_of(page)
    assert "condition-1" not in page.content.decode()
    close_by_clock(pool)
    client = visitor(members_of(pool)[0])
    client.post(f"/commission/{pool.code}/conflict/", {"reason": "My club."})
    page = client.get(f"/commission/{pool.code}/result/")
    assert "You have declared a conflict in this pool." in text_of(page)
    assert "condition-1" not in page.content.decode()
    assert [each.step for each in waiting_for(members_of(pool)[0])] == [Step.CONFLICT]


def test_a_protocol_that_another_one_took_the_place_of_is_not_signed() -> None:
    pool, (first, second, third) = closed()
    draw_up(pool, "1;X;2")
    path = f"/commission/{pool.code}/protocol/"
    read = {client: hidden(client.get(path), "read") for client in (first, second, third)}
    disagreeing = {"words": "It was 2.", "passphrase": PASSPHRASE, "read": read[third]}
    assert third.post(f"/commission/{pool.code}/dissent/", disagreeing).status_code == 302
    answer = first.post(path, {"passphrase": PASSPHRASE, "read": read[first]})
    assert (answer.status_code, "This is not the protocol that you have read" in text_of(answer)) == (400, True)
    assert "It was 2." in text_of(answer)  # the page shows the one that stands
    stale = second.post(f"/commission/{pool.code}/dissent/", disagreeing | {"read": read[second]})
    assert (stale.status_code, "not the protocol that you have read" in text_of(stale)) == (400, True)
    assert not ProtocolSignature.objects.exists()
    assert Protocol.objects.get(pool=pool).document_text.count("opinion") == 1
    now = {"passphrase": PASSPHRASE, "read": hidden(answer, "read")}
    for client in (first, second):
        assert client.post(path, now).status_code == 302
    for client, said in ((first, "cannot be signed"), (third, "cannot be signed")):
        late = client.post(path, now)
        assert (late.status_code, said in text_of(late)) == (400, True)
    assert ProtocolSignature.objects.count() == 2


def test_a_second_tab_that_signs_again_is_told_so() -> None:
    pool, (first, _second, _third) = closed()
    draw_up(pool, "1;X;2")
    path = f"/commission/{pool.code}/protocol/"
    good = {"passphrase": PASSPHRASE, "read": hidden(first.get(path), "read")}
    assert first.post(path, good).status_code == 302
    again = first.post(path, good)
    assert (again.status_code, "You have signed this protocol." in text_of(again)) == (400, True)
    assert ProtocolSignature.objects.count() == 1

"""The commission's desk: a key, two independent entries, the protocol, signatures (¶10, H1, H2)."""

import re
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Role
from pools.models import CommissionKey, Pool, PoolState, Protocol
from pools.services.closing import close_pool
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import PASSPHRASE, make_pool, make_user
from tests.resulting import close_by_clock, members_of

pytestmark = pytest.mark.django_db


def entry(pool: Pool, *right: str, zone: str = "Europe/Minsk", started: str | None = None) -> dict[str, object]:
    posted: dict[str, object] = {}
    for number, outcomes in enumerate(right, 1):
        posted[f"condition-{number}"] = "several" if "+" in outcomes else outcomes
        posted[f"several-{number}"] = outcomes.split("+") if "+" in outcomes else []
    start = pool.closes_at.astimezone(ZoneInfo(zone)).strftime("%d.%m.%Y %H:%M:%S") if started is None else started
    posted |= {f"reason-{number}": "Rain." for number, outcomes in enumerate(right, 1) if outcomes == "void"}
    posted["evidence"] = list(pool.evidence.values_list("pk", flat=True))
    return {**posted, "first_started_at_0": start, "first_started_at_1": zone}


def closed_pool() -> tuple[Pool, list[Client]]:
    pool = make_pool()
    close_by_clock(pool)
    return pool, [visitor(member) for member in members_of(pool)]


def test_a_member_makes_a_key_under_a_passphrase_typed_twice() -> None:
    member = make_user(Role.COMMISSION)
    client = visitor(member)
    for form, said in (
        ({"passphrase": "long enough indeed", "again": "long enough, but not"}, "The two passphrases differ."),
        ({"passphrase": "short", "again": "short"}, "The passphrase must have at least 12 characters."),
    ):
        answer = client.post("/commission/key/", form)
        assert (answer.status_code, said in text_of(answer)) == (400, True)
    assert not CommissionKey.objects.filter(member=member).exists()
    form = {"passphrase": "long enough indeed", "again": "long enough indeed"}
    assert client.post("/commission/key/", form).status_code == 302
    key = CommissionKey.objects.get(member=member)
    assert key.key_id in text_of(client.get("/commission/"))
    assert key.key_id in client.get("/keys.json").json()


def test_a_key_is_revoked_by_its_own_member_and_another_one_is_made() -> None:
    pool = make_pool()
    members = members_of(pool)
    key = CommissionKey.objects.get(member=members[0])
    path = f"/commission/key/{key.key_id}/revoke/"
    assert visitor(members[1]).post(path, {"reason": "Not mine."}).status_code == 404
    client = visitor(members[0])
    assert client.post(path, {"reason": ""}).status_code == 400
    assert "Make a key" not in text_of(client.get("/commission/"))
    assert client.post(path, {"reason": "The passphrase was overheard."}).status_code == 302
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert "Make a key" in text_of(client.get("/commission/"))
    form = {"passphrase": "long enough indeed", "again": "long enough indeed"}
    assert client.post("/commission/key/", form).status_code == 302
    assert CommissionKey.objects.filter(member=members[0]).count() == 2


def test_two_like_entries_two_signatures_and_the_pool_is_resulted() -> None:
    pool, (first, second, third) = closed_pool()
    assert "enter the result" in text_of(first.get("/commission/"))
    path = f"/commission/{pool.code}/result/"
    answer = first.post(path, entry(pool, "1", "X+2", "void"), follow=True)
    assert "Your entry is taken. Another member must enter the same." in text_of(answer)
    assert "waits for another member&#x27;s entry" in text_of(first.get("/commission/"))
    assert "You have entered the result" in text_of(first.post(path, entry(pool, "1", "X", "2")))
    answer = second.post(path, entry(pool, "1", "X+2", "void"), follow=True)
    assert "Both entries agree; the protocol is drawn up." in text_of(answer)
    signing = f"/commission/{pool.code}/protocol/"
    assert "did not take place" in text_of(first.get(signing))
    read = hidden(first.get(signing), "read")
    wrong = first.post(signing, {"passphrase": "not this one at all", "read": read})
    assert (wrong.status_code, "The passphrase is wrong." in text_of(wrong)) == (400, True)
    stale = first.post(signing, {"passphrase": PASSPHRASE, "read": "sha256:0"})
    assert (stale.status_code, "read it first" in text_of(stale)) == (400, True)
    good = {"passphrase": PASSPHRASE, "read": read}
    assert "More signatures are needed." in text_of(third.post(signing, good, follow=True))
    assert "The protocol is sealed." in text_of(first.post(signing, good, follow=True))
    pool.refresh_from_db()
    assert pool.state == PoolState.RESULTED
    assert Protocol.objects.get(pool=pool).sealed_at is not None


def test_entries_that_differ_block_and_say_where() -> None:
    pool, (first, second, third) = closed_pool()
    path = f"/commission/{pool.code}/result/"
    first.post(path, entry(pool, "1", "X", "2"))
    answer = second.post(path, entry(pool, "1", "2", "2"), follow=True)
    assert "The two entries differ in: 2. Match 2. Both members enter again." in text_of(answer)
    assert re.search(r"2\. Match 2 X 2 Where they agree \(4\)", text_of(answer))  # side by side
    assert first.get(f"/commission/{pool.code}/differences/").status_code == 200
    assert third.get(f"/commission/{pool.code}/differences/").status_code == 404
    assert not Protocol.objects.filter(pool=pool).exists()
    assert "the two entries differ: enter the result again" in text_of(first.get("/commission/"))


def test_an_entry_with_holes_is_refused_field_by_field() -> None:
    pool, (first, _second, _third) = closed_pool()
    path = f"/commission/{pool.code}/result/"
    for form, said in (
        (entry(pool, "1", "X"), "Mark what was right, or that it did not take place."),
        (entry(pool, "1", "X", "2") | {"condition-3": "several"}, "Mark each outcome that was right: two at least."),
        (entry(pool, "1", "X", "2") | {"condition-3": "7"}, "7"),
        (entry(pool, "1", "X", "2", started=""), "Give the actual start, to the second."),
        (entry(pool, "1", "X", "2", started="05.12.2026 15:00"), "Give a date and time to the second"),
        (entry(pool, "1", "X", "2", started="05.12.2031 15:00:00"), "The first start is still to come."),
    ):
        answer = first.post(path, form)
        assert (answer.status_code, said in text_of(answer)) == (400, True), said
    assert pool.result_entries.count() == 0


def test_c55_a_start_that_occurred_twice_is_asked_about() -> None:
    pool, (first, _second, _third) = closed_pool()
    form = entry(pool, "1", "X", "2", zone="Europe/Berlin", started="25.10.2026 02:30:00")
    answer = first.post(f"/commission/{pool.code}/result/", form)
    assert "occurs twice in Europe/Berlin" in text_of(answer)
    assert 'name="first_started_at_2"' in answer.content.decode()
    assert first.post(f"/commission/{pool.code}/result/", {**form, "first_started_at_2": "second"}).status_code == 302
    assert '"first_started_at":"2026-10-25T01:30:00Z"' in pool.result_entries.get().result_text


def test_an_event_that_did_not_take_place_needs_no_marks() -> None:
    pool, (first, _second, _third) = closed_pool()
    form = {"event_void": "on", "first_started_at_0": "", "first_started_at_1": "Europe/Minsk"}
    form["evidence"] = str(pool.evidence.get().pk)
    answer = first.post(f"/commission/{pool.code}/result/", form)
    assert (answer.status_code, "Say why it did not take place." in text_of(answer)) == (400, True)
    form["event_reason"] = "The hall burnt down."
    assert first.post(f"/commission/{pool.code}/result/", form).status_code == 302
    assert '"event_void":true' in pool.result_entries.get().result_text


def test_a_pool_of_another_commission_is_not_there() -> None:
    pool = make_pool()
    close_pool(code=pool.code, actor="test", early_by=pool.prepared_by)
    stranger = visitor(make_user(Role.COMMISSION))
    for part in ("result", "protocol"):
        assert stranger.get(f"/commission/{pool.code}/{part}/").status_code == 404


def test_a_member_files_evidence_and_gets_it_back_as_it_was() -> None:
    pool, (first, _second, _third) = closed_pool()
    path = f"/commission/{pool.code}/evidence/"
    form = {"condition": "2", "source": "The league", "address": "https://league.example/2"}
    form |= {"captured_at_0": pool.closes_at.strftime("%d.%m.%Y %H:%M:%S"), "captured_at_1": "UTC"}
    answer = first.post(path, form | {"file": SimpleUploadedFile("<b>.png", b"no picture \xff")})
    assert (answer.status_code, "A PDF, JPEG or PNG file is wanted" in text_of(answer)) == (400, True)
    picture = b"\x89PNG\r\n\x1a\n and more"
    assert first.post(path, form | {"file": SimpleUploadedFile("x.png", picture)}).status_code == 302
    filed = pool.evidence.latest("pk")
    answer = first.get(f"{path}{filed.pk}/")
    assert (answer.content, answer["Content-Type"]) == (picture, "image/png")
    assert answer["Content-Disposition"].startswith("attachment")
    assert "The league" in text_of(first.get(path))
    assert visitor(make_user(Role.COMMISSION)).get(f"{path}{filed.pk}/").status_code == 404


def test_a_declared_conflict_takes_a_member_out_and_the_desk_warns() -> None:
    pool, (first, second, third) = closed_pool()
    for client in (first, second):
        answer = client.post(f"/commission/{pool.code}/conflict/", {"reason": "My club."}, follow=True)
        assert "You decide nothing in this pool." in text_of(answer)
    answer = first.post(f"/commission/{pool.code}/result/", entry(pool, "1", "X", "2"))
    assert (answer.status_code, "You have declared a conflict" in text_of(answer)) == (400, True)
    warning = "1 member can still sign, 2 must. This pool can only be cancelled."
    assert warning in text_of(third.get("/commission/"))
    assert warning in text_of(visitor(make_user(Role.ORGANIZER)).get("/desk/commission-keys/"))


def test_dissent_and_correction_have_pages() -> None:
    pool, (first, second, third) = closed_pool()
    for client in (first, second):
        client.post(f"/commission/{pool.code}/result/", entry(pool, "1", "X", "2"))
    disagreeing = f"/commission/{pool.code}/dissent/"
    form = {"words": "It was 2.", "passphrase": PASSPHRASE, "read": hidden(third.get(disagreeing), "read")}
    assert "It was 2." in text_of(third.post(disagreeing, form, follow=True))
    path = f"/commission/{pool.code}/correction/"
    right = entry(pool, "1", "2", "2")
    assert first.post(path, right).status_code == 400
    right |= {"reason": "Misread.", "document": "Sheet 2"}
    assert first.post(path, right).status_code == 302
    answer = third.post(path, right, follow=True)
    assert f"Protocol {pool.code}/2" in text_of(answer)
    assert "corrects version 1: Misread. (Sheet 2)" in text_of(answer)


def test_a_lost_key_is_revoked_by_two_of_the_staff() -> None:
    pool = make_pool()
    key = members_of(pool)[0].commission_keys.get()
    one, other = (visitor(make_user(Role.ORGANIZER)) for _ in range(2))
    answer = one.post("/desk/commission-keys/", {"key_id": key.key_id, "reason": "Lost."}, follow=True)
    assert "Another person must approve it." in text_of(answer)
    assert "Another person must approve it." in text_of(one.get("/desk/commission-keys/"))
    number = hidden(other.get("/desk/commission-keys/"), "number")
    approve = f"/desk/commission-keys/{key.key_id}/approve/"
    own = text_of(one.post(approve, {"number": number}, follow=True))
    assert "A revocation is approved by another person than proposed it." in own
    key.refresh_from_db()
    assert key.revoked_at is None
    assert "The key is revoked." in text_of(other.post(approve, {"number": number}, follow=True))
    key.refresh_from_db()
    assert key.revoked_at is not None

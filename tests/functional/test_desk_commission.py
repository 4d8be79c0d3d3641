"""The commission's desk: a key, two independent entries, the protocol, signatures (¶10, H1, H2)."""

from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from accounts.models import Role
from pools.models import CommissionKey, Pool, PoolState, Protocol
from pools.services.closing import close_pool
from tests.functional.browsing import text_of, visitor
from tests.making import PASSPHRASE, make_pool, make_user
from tests.resulting import close_by_clock, members_of

pytestmark = pytest.mark.django_db


def entry(pool: Pool, *right: str, zone: str = "Europe/Minsk", started: str | None = None) -> dict[str, object]:
    posted: dict[str, object] = {f"condition-{number}": outcomes.split("+") for number, outcomes in enumerate(right, 1)}
    start = pool.closes_at.astimezone(ZoneInfo(zone)).strftime("%d.%m.%Y %H:%M:%S") if started is None else started
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
    wrong = first.post(signing, {"passphrase": "not this one at all"})
    assert (wrong.status_code, "The passphrase is wrong." in text_of(wrong)) == (400, True)
    assert "More signatures are needed." in text_of(third.post(signing, {"passphrase": PASSPHRASE}, follow=True))
    assert "The protocol is sealed." in text_of(first.post(signing, {"passphrase": PASSPHRASE}, follow=True))
    pool.refresh_from_db()
    assert pool.state == PoolState.RESULTED
    assert Protocol.objects.get(pool=pool).sealed_at is not None


def test_entries_that_differ_block_and_say_where() -> None:
    pool, (first, second, _third) = closed_pool()
    path = f"/commission/{pool.code}/result/"
    first.post(path, entry(pool, "1", "X", "2"))
    answer = second.post(path, entry(pool, "1", "2", "2"), follow=True)
    assert "The two entries differ in: condition 2." in text_of(answer)
    assert not Protocol.objects.filter(pool=pool).exists()
    assert "the two entries differ: enter the result again" in text_of(first.get("/commission/"))


def test_an_entry_with_holes_is_refused_field_by_field() -> None:
    pool, (first, _second, _third) = closed_pool()
    path = f"/commission/{pool.code}/result/"
    for form, said in (
        (entry(pool, "1", "X"), "Mark what was right, or that it did not take place."),
        (entry(pool, "1", "X", "2+void"), "What did not take place has no right outcome."),
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
    assert first.post(f"/commission/{pool.code}/result/", form).status_code == 302
    assert '"event_void":true' in pool.result_entries.get().result_text


def test_a_pool_of_another_commission_is_not_there() -> None:
    pool = make_pool()
    close_pool(code=pool.code, actor="test", early_by=pool.prepared_by)
    stranger = visitor(make_user(Role.COMMISSION))
    for part in ("result", "protocol"):
        assert stranger.get(f"/commission/{pool.code}/{part}/").status_code == 404

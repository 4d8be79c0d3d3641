"""Making up a new pool in steps: nothing typed is lost, faults stand at their fields, players' page comes last (A1)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Role
from pools.forms.pool_templates import TEMPLATES
from pools.models import Game, Pool, PoolSketch, PoolState
from pools.services.drafting import announce_pool
from tests.functional.browsing import hidden, visitor
from tests.functional.sketching import (
    begun,
    commission_step,
    dates_step,
    events_step,
    money_step,
    said,
    sent,
    totolot_step,
)
from tests.making import make_commission, make_organizers, make_rules, make_user
from tests.paying import go_to
from tests.settling import sell, settle

pytestmark = pytest.mark.django_db
FAR = {"opens_at_0": "2099-06-01T09:00", "closes_at_0": "2099-06-01T21:00", "closes_at_1": "Europe/Moscow"}


def test_c31_a1_a_pool_is_made_up_in_steps_previewed_prepared_and_announced_by_another() -> None:
    maker, checker = make_organizers()
    version, keys = make_rules(maker), [key.key_id for key in make_commission()]
    one = visitor(maker)
    place = begun(one)
    assert "These steps are not right yet: Events Times" in said(one.get(f"{place}preview/"))
    for step, fields, after in (
        ("events", events_step(reserve="Слуцк – Минск"), "money"),
        ("money", money_step(guarantee_1="500", max_dividend="10000", min_turnover="100"), "commission"),
        ("commission", commission_step(keys), "dates"),
        ("dates", dates_step(**FAR), "preview"),
    ):
        answer = sent(one, place, step, fields)
        assert (answer.status_code, answer["Location"]) == (302, f"{place}{after}/"), (step, said(answer))
    assert not Pool.objects.exists()
    preview = one.get(f"{place}preview/")
    assert "BYN 1.50 for each line (¶5)" in said(preview)
    assert "at least BYN 500.00 in its fund" in said(preview)
    assert preview.content.decode().count('value="X"') == 3  # the coupon's boxes
    prepared = one.post(f"{place}prepare/")
    assert (prepared.status_code, prepared["Location"]) == (302, "/desk/pools/R-1/")
    pool = Pool.objects.get()
    document = json.loads(pool.terms_text)
    assert (pool.state, pool.prepared_by) == (PoolState.DRAFT, maker)
    assert pool.opens_at == datetime(2099, 6, 1, 6, 0, tzinfo=UTC)
    assert pool.closes_at == datetime(2099, 6, 1, 18, 0, tzinfo=UTC)
    assert document["pool"]["name"] == {"ru": "Тур", "be": "Тур", "en": "Round"}
    assert document["conditions"][0]["name"] == {"ru": "Динамо – БАТЭ", "be": "Дынама – БАТЭ", "en": "Dinamo – BATE"}
    assert document["conditions"][1]["name"]["en"] == "Неман – Гомель"
    assert (document["price"], document["fund"], document["rules_version"]) == ({"line": 150}, "7/10", version)
    assert document["levels"][1] == {"code": "2", "from": "2/3", "to": "2/3", "share": "2/5"}
    assert (document["guarantee"], document["min_turnover"]) == ({"3": 50_000}, 10_000)
    assert document["max_dividend"] == {"amount": 1_000_000, "above": "jackpot"}
    assert document["quorum"] == {"members": [keys[1], keys[0], keys[2]], "need": 2}
    assert one.post(f"{place}prepare/")["Location"] == "/desk/pools/R-1/"  # a button pressed twice
    assert one.get(f"{place}money/")["Location"] == "/desk/pools/R-1/"
    assert Pool.objects.count() == 1
    shown = one.get("/desk/pools/R-1/")
    assert "/desk/pools/R-1/announce/" not in shown.content.decode()
    assert one.post("/desk/pools/R-1/announce/").status_code == 403
    assert visitor(checker).post("/desk/pools/R-1/announce/").status_code == 302
    pool.refresh_from_db()
    assert (pool.state, pool.announced_by) == (PoolState.ANNOUNCED, checker)


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_becomes_a_lawful_pool(name: str) -> None:
    maker, _checker = make_organizers()
    make_rules(maker)
    make_commission()
    one, template = visitor(maker), TEMPLATES[name]
    place = begun(one, name)
    lines = "\n".join(f"Матч {number}" for number in range(1, template.events + 1))
    assert sent(one, place, "events", events_step(events=lines)).status_code == 302
    for step in ("money", "commission"):  # as the template has them
        page = one.get(f"{place}{step}/")
        mine = PoolSketch.objects.get()
        fields = dict(mine.typed[step])
        assert one.post(f"{place}{step}/", {"seen": hidden(page, "seen"), **fields}).status_code == 302, said(page)
    assert sent(one, place, "dates", dates_step()).status_code == 302
    assert one.post(f"{place}prepare/").status_code == 302
    assert Pool.objects.get().game == template.game


def test_every_game_has_a_template() -> None:
    assert {template.game for template in TEMPLATES.values()} == set(Game)


@pytest.mark.parametrize(
    ("step", "fields", "words"),
    [
        ("events", events_step(code="r 1"), "A code has 1 to 20 capital Latin letters, digits and hyphens."),
        ("events", events_step(name_ru=""), "This field is required."),
        ("events", events_step(events="А – Б\n—"), "Line 2: A name needs a letter or a digit"),
        ("events", events_step(events="А – Б\n\nА – Б"), "Line 3: This event stands above already."),
        ("events", events_step(events="А; Б; В; 1 1"), "Line 1: Give at least two outcomes, each once"),
        ("events", events_step(outcomes="1"), "Give at least two outcomes, each once"),
        ("events", events_step(reserve="Неман – Гомель"), "“Неман – Гомель” stands among the events already."),
        ("money", money_step(share_2="39.9"), "The shares add up to 99.9 %; they must add up to exactly 100 %."),
        ("money", money_step(share_2="40.1"), "The shares add up to 100.1 %; they must add up to exactly 100 %."),
        ("money", money_step(share_1="a lot"), "Give a percentage from 0 to 100"),
        ("money", money_step(hits_1="three"), "Give how many are right: 13, or 8-10."),
        ("money", money_step(line_price="1.505"), "Give an amount in BYN with at most two decimals"),
        ("money", money_step(guarantee_2="-5"), "Give an amount in BYN with at most two decimals"),
        ("commission", {"members": [], "chair": "", "need": "1"}, "This field is required."),
        ("dates", {}, "This field is required."),
    ],
)
def test_a_fault_stands_at_its_field_and_what_was_typed_stays(step: str, fields: dict[str, Any], words: str) -> None:
    one = visitor(make_user(Role.ORGANIZER))
    make_commission()
    place = begun(one)
    answer = sent(one, place, step, fields)
    assert (answer.status_code, words in said(answer)) == (400, True), said(answer)
    again = one.get(f"{place}{step}/")  # a refresh, or another day
    assert (again.status_code, words in said(again)) == (200, True)
    assert f'href="{place}{step}/"' in one.get(f"{place}preview/").content.decode().partition("not right yet")[2]
    assert one.post(f"{place}prepare/")["Location"] == f"{place}preview/"
    assert not Pool.objects.exists()


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"opens_at_0": "2027-03-28T02:30", "opens_at_1": "Europe/Berlin"}, "opens_at", "does not exist in"),
        ({"closes_at_0": "2027-10-31T02:30", "closes_at_1": "Europe/Berlin"}, "closes_at", "occurs twice in"),
        ({"opens_at_0": "2001-01-01T10:00"}, "opens_at", "This time is past: it is "),
        ({"closes_at_0": "2026-01-01T10:00"}, "closes_at", "It must close after it opens."),
        ({"opens_at_0": "soon"}, "opens_at", "Give a date and time"),
    ],
)
def test_c55_a_time_that_is_none_or_is_two_is_refused_at_its_field(
    changes: dict[str, str], field: str, words: str
) -> None:
    maker = make_user(Role.ORGANIZER)
    make_rules(maker)
    one = visitor(maker)
    place = begun(one)
    answer = sent(one, place, "dates", dates_step(**changes))
    assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field])
    assert words in str(answer.context["form"].errors[field])
    if "twice" in words:
        page = sent(one, place, "dates", dates_step(**changes, closes_at_2="second"))
        assert page.status_code == 302
        stands = json.dumps(PoolSketch.objects.get().typed["dates"])
        assert '"closes_at_2": ["second"]' in stands


def test_no_rules_text_in_force_is_told_at_the_opening() -> None:
    one = visitor(make_user(Role.ORGANIZER))
    answer = sent(one, begun(one), "dates", dates_step())
    assert "No rules text is in force then: publish one first." in str(answer.context["form"].errors["opens_at"])


def test_two_windows_on_one_step_lose_nothing() -> None:
    one = visitor(make_user(Role.ORGANIZER))
    place = begun(one)
    seen = hidden(one.get(f"{place}events/"), "seen")
    assert one.post(f"{place}events/", {"seen": seen, **events_step(name_ru="Первый")}).status_code == 302
    assert (
        one.post(f"{place}events/", {"seen": seen, **events_step(name_ru="Первый")}).status_code == 302
    )  # Back, again
    late = one.post(f"{place}events/", {"seen": seen, **events_step(name_ru="Второй")})
    assert (late.status_code, "saved in another window meanwhile" in said(late)) == (409, True)
    assert 'value="Второй"' in late.content.decode()
    assert PoolSketch.objects.get().typed["events"]["name_ru"] == ["Первый"]
    kept = one.post(f"{place}events/", {"seen": hidden(late, "seen"), **events_step(name_ru="Второй")})
    assert kept.status_code == 302
    assert PoolSketch.objects.get().typed["events"]["name_ru"] == ["Второй"]


def test_an_earlier_pool_is_copied_and_a_draft_changed_in_the_same_steps() -> None:
    maker, other = make_organizers()
    make_rules(maker)
    keys = [key.key_id for key in make_commission()]
    one = visitor(maker)
    place = begun(one, "totolot-15")
    for step, fields in (
        ("events", events_step(reserve="Слуцк – Минск")),
        ("money", totolot_step()),
        ("commission", commission_step(keys)),
        ("dates", dates_step()),
    ):
        assert sent(one, place, step, fields).status_code == 302
    one.post(f"{place}prepare/")
    pool = Pool.objects.get()
    copy = one.post("/desk/new-pool/", {"pool": "R-1"})
    mine = PoolSketch.objects.get(prepared_at=None)
    assert copy["Location"] == f"/desk/new-pool/{mine.pk}/events/"
    assert (mine.typed["events"]["code"], "dates" in mine.typed) == ([""], False)
    assert mine.typed["money"]["share_1"] == ["60"]
    two = visitor(other)
    changing = two.post("/desk/pools/R-1/draft/steps/")["Location"].removesuffix("events/")
    assert two.post("/desk/pools/R-1/draft/steps/")["Location"] == f"{changing}events/"  # the same one
    kept = PoolSketch.objects.get(pool=pool, prepared_at=None)
    assert kept.typed["events"]["reserve"] == ["Слуцк – Минск"]  # it still waits
    assert "A draft keeps its code." in said(sent(two, changing, "events", events_step(code="R-2")))
    assert sent(two, changing, "events", events_step(name_en="Another")).status_code == 302
    assert two.post(f"{changing}prepare/")["Location"] == "/desk/pools/R-1/"
    pool.refresh_from_db()
    assert (pool.prepared_by, pool.terms.pool.name["en"]) == (other, "Another")
    assert pool.terms.quorum is not None
    assert pool.terms.quorum.members == (keys[1], keys[0], keys[2])


def test_a_sketch_is_its_owners_own_and_can_be_thrown_away() -> None:
    one, two = (visitor(person) for person in make_organizers())
    place = begun(one)
    for path in ("events/", "preview/", "prepare/"):
        assert two.get(place + path).status_code == 404, path
        assert two.post(place + path).status_code == 404, path
    assert two.post(f"{place}throw-away/").status_code == 404
    assert one.get(f"{place}nothing/").status_code == 404
    assert place in one.get("/desk/new-pool/").content.decode()
    one.get(f"{place}throw-away/")
    assert PoolSketch.objects.count() == 1
    assert one.post(f"{place}throw-away/").status_code == 302
    assert not PoolSketch.objects.exists()


def test_what_the_engine_refuses_is_told_with_the_way_to_its_step() -> None:
    maker = make_user(Role.ORGANIZER)
    make_rules(maker)
    keys = [key.key_id for key in make_commission()]
    one = visitor(maker)
    place = begun(one)
    for step, fields in (
        ("events", events_step()),
        ("money", money_step(deduction="31")),
        ("commission", commission_step(keys)),
        ("dates", dates_step()),
    ):
        assert sent(one, place, step, fields).status_code == 302
    page = one.get(f"{place}preview/")
    assert (page.status_code, "at least 7/10 (¶4)" in said(page)) == (400, True)
    assert f'href="{place}money/">Put it right: Money' in page.content.decode()
    assert one.post(f"{place}prepare/").status_code == 400
    assert not Pool.objects.exists()


def test_a_level_that_asks_for_more_than_the_events_is_told_at_its_field_on_the_step_itself() -> None:
    one = visitor(make_user(Role.ORGANIZER))
    place = begun(one)
    too_many = money_step(hits_1="4", hits_2="2-3")
    assert sent(one, place, "money", too_many).status_code == 302  # nobody knows yet how many events there are
    assert sent(one, place, "events", events_step()).status_code == 302
    for answer in (one.get(f"{place}money/"), sent(one, place, "money", too_many)):
        assert answer.context["form"].errors == {"hits_1": ["Level 4: the pool has 3 events."]}
    assert sent(one, place, "money", money_step(hits_2="3-2")).context["form"].errors == {
        "hits_2": ["Give how many are right: 13, or 8-10."]
    }
    assert "money" not in [name for name, _label, right in answer.context["steps"] if right]
    assert sent(one, place, "money", money_step()).status_code == 302


def test_a_level_is_called_by_how_many_are_right_from_the_step_to_the_result() -> None:
    (one, other), keys = make_organizers(), make_commission()
    maker, place = visitor(one), begun(visitor(one))
    make_rules(one)
    money = money_step(hits_1="1-2", share_1="40", hits_2="3", share_2="60")
    for step, fields in (
        ("events", events_step()),
        ("money", money),
        ("commission", commission_step([key.key_id for key in keys])),
        ("dates", dates_step()),
    ):
        assert sent(maker, place, step, fields).status_code == 302, step
    step = said(maker.get(f"{place}money/"))
    assert ("A level is called by how many are right" in step, "Level 1" in step) == (True, False)
    previewed = maker.get(f"{place}preview/").context["words"].levels
    assert maker.post(f"{place}prepare/").status_code == 302
    pool = announce_pool(code=Pool.objects.get().code, announced_by=other)
    go_to(pool.opens_at)
    sell(pool, ("1;1;1", 150))
    page = visitor().get(f"/pools/{pool.code}/").context["words"].levels
    settle(pool, "1;1;1")
    result = visitor().get(f"/pools/{pool.code}/result/").context["levels"]
    assert [level.code for level in previewed] == [level.code for level in page] == ["3", "1-2"]
    assert [level["code"] for level in result] == ["3", "1-2"]

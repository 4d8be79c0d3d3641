"""Events of a new pool from a file, told by line and column what is wrong; reserve events; pools are found (A1, A5)."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Role
from pools.models import PoolSketch
from tests.functional.browsing import visitor
from tests.functional.sketching import begun, events_step, said, sent
from tests.making import make_pool, make_user

pytestmark = pytest.mark.django_db

TABLE = "ru;be;en;outcomes;reserve\r\nА – Б;А – Бэ;A – B;1 X 2;\r\nВ – Г;;;1 X 2;\r\nД – Е;;;1 X 2;да\r\n"


def uploaded(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("events.csv", content, content_type="text/csv")


@pytest.mark.parametrize(
    "content",
    [
        TABLE.encode(),
        b"\xef\xbb\xbf" + TABLE.encode(),
        TABLE.encode("cp1251"),
        TABLE.replace(";", ",").encode(),
        TABLE.replace("ru;be;en;outcomes;reserve", "Событие;По-белорусски;По-английски;Исходы;Резерв").encode("cp1251"),
    ],
    ids=["utf-8", "with its mark", "cp1251", "commas", "headings in Russian"],
)
def test_events_are_read_from_a_file(content: bytes) -> None:
    one = visitor(make_user(Role.ORGANIZER))
    place = begun(one)
    answer = sent(
        one, place, "events", {**events_step(events="", name_ru="Тур 7"), "do": "import", "file": uploaded(content)}
    )
    assert (answer.status_code, answer["Location"]) == (302, f"{place}events/"), said(answer)
    assert "2 events are read. 1 reserve event is read." in said(one.get(f"{place}events/"))
    assert "Minsk time" in said(one.get(f"{place}dates/"))
    kept = PoolSketch.objects.get().typed["events"]
    assert kept["events"] == ["А – Б; А – Бэ; A – B\nВ – Г"]
    assert (kept["reserve"], kept["outcomes"], kept["name_ru"]) == (["Д – Е"], ["1 X 2"], ["Тур 7"])


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (b"", [(1, "", "The file is empty.")]),
        (b"\x00\x01", [(1, "", "The file is no text in UTF-8 or Windows-1251.")]),
        ("en\nA – B".encode(), [(1, "", "The first line must name the columns")]),
        (b"ru;be", [(1, "", "Under the heading there is no event.")]),
        (
            "Матч;en;outcomes;reserve\n—;A;1 X 2;\nА;B;1 1;\n\nБ;;;может быть\nА;;;\nА;C;;\nВ;;;;;".encode(),
            [
                (2, "Матч", "A name needs a letter or a digit"),
                (3, "outcomes", "Give at least two outcomes, each once"),
                (5, "reserve", "Write yes for a reserve event"),
                (7, "Матч", "This event stands in the file already."),
                (8, "", "The line has 6 cells, and the heading 4."),
            ],
        ),
        ('ru;en\n"А; Б";x'.encode(), [(2, "ru", "A name has no semicolon")]),
        (("ru\n" + "x" * 201).encode(), [(2, "ru", "A name has at most 200 characters.")]),
        (("ru\n" + "\n".join(f"Матч {number}" for number in range(201))).encode(), [(202, "", "at most 200 events")]),
    ],
)
def test_a_file_with_a_fault_is_told_by_line_and_column_and_nothing_is_taken(
    content: bytes, faults: list[tuple[int, str, str]]
) -> None:
    one = visitor(make_user(Role.ORGANIZER))
    place = begun(one)
    answer = sent(one, place, "events", {**events_step(), "do": "import", "file": uploaded(content) if content else ""})
    if not content:
        assert (answer.status_code, "Choose a file first." in said(answer)) == (400, True)
        return
    told = [(fault.line, fault.column, str(fault.text)) for fault in answer.context["faults"]]
    assert answer.status_code == 400
    assert [(line, column) for line, column, _text in told] == [(line, column) for line, column, _text in faults]
    assert all(words in text for (_l, _c, text), (_line, _column, words) in zip(told, faults, strict=True)), told
    assert PoolSketch.objects.get().typed["events"]["events"] == [events_step()["events"]]


def test_the_sample_can_be_read_as_it_is_and_a_reserve_event_takes_a_place() -> None:
    one = visitor(make_user(Role.ORGANIZER))
    sample = one.get("/desk/new-pool/events.csv")
    assert sample["Content-Disposition"] == 'attachment; filename="events.csv"'
    place = begun(one)
    assert sent(one, place, "events", {**events_step(), "file": uploaded(sample.content)}).status_code == 302
    kept = PoolSketch.objects.get().typed["events"]
    assert (len(kept["events"][0].splitlines()), len(kept["reserve"][0].splitlines())) == (15, 2)
    now = {name: values[0] for name, values in kept.items() if name != "sent"}
    for out, into, words in (("16", "1", "no event with this number"), ("x", "1", "Give the numbers of both events.")):
        refused = sent(one, place, "events", {**now, "do": "replace", "falls_out": out, "takes_place": into})
        assert (refused.status_code, words in said(refused)) == (400, True)
    assert PoolSketch.objects.get().typed["events"] == kept
    done = sent(one, place, "events", {**now, "do": "replace", "falls_out": "3", "takes_place": "2"})
    assert done.status_code == 302
    events = PoolSketch.objects.get().typed["events"]
    assert events["events"][0].splitlines()[2].startswith("Хозяева 17 – Гости 17; ")
    assert len(events["reserve"][0].splitlines()) == 1


def test_pools_are_found_by_code_name_state_and_game() -> None:
    pool, variant = (
        make_pool(code="A-1"),
        make_pool("totolot-variant", code="B-2", opens_in=timedelta(days=1), is_open=False),
    )
    one = visitor(pool.prepared_by)

    def listed(query: str) -> list[str]:
        return [shown.code for shown, _figures in one.get(f"/desk/pools/?{query}").context["shown"]]

    assert set(listed("")) == {"A-1", "B-2"}
    assert listed("q=a-") == ["A-1"]
    assert set(listed("q=пул")) == {"A-1", "B-2"}
    assert variant.code in listed("state=announced")
    assert listed("state=settled") == []
    assert listed("game=totolot-variant") == ["B-2"]
    assert listed("q=%25%00'") == []
    page = said(one.get(f"/desk/pools/{pool.code}/"))
    assert "What can be done now" in page
    assert f"prepared {pool.prepared_by.username}" in page


def test_a_file_read_before_the_rest_is_typed_shows_no_fault_of_what_nobody_has_sent() -> None:
    one = visitor(make_user(Role.ORGANIZER))
    place = begun(one)
    empty = events_step(code="", name_ru="", name_en="", events="")
    faulty = sent(one, place, "events", {**empty, "do": "import", "file": uploaded(b"en\nA")})
    assert (faulty.status_code, len(faulty.context["faults"]), dict(faulty.context["form"].errors)) == (400, 1, {})
    assert sent(one, place, "events", {**empty, "do": "import", "file": uploaded(TABLE.encode())}).status_code == 302
    page = one.get(f"{place}events/")
    assert ("2 events are read." in said(page), dict(page.context["form"].errors)) == (True, {})
    assert "events" not in [name for name, _label, right in page.context["steps"] if right]
    refused = sent(one, place, "events", {**PoolSketch.objects.get().typed["events"]})
    assert (refused.status_code, list(refused.context["form"].errors)) == (400, ["code", "name_ru"])
    again = sent(one, place, "events", {**empty, "do": "import", "file": uploaded(TABLE.encode())})
    assert list(one.get(again["Location"]).context["form"].errors) == ["code", "name_ru"]  # by now they are due

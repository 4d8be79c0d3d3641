"""The public page of a jackpot, its chart, and the history that both are made of (J1)."""

import re
from datetime import date, timedelta
from xml.dom.minidom import parseString

import pytest
from django.test import Client

from accounts.ledger.kinds import TransferKind
from payouts.documents.jackpot_chart import jackpot_chart, nice_top
from payouts.queries import jackpot_days as days_module
from payouts.queries.jackpot import JackpotMove
from payouts.queries.jackpot_days import HistoryBroken, JackpotDay, jackpot_days
from payouts.services.jackpot import add_to_jackpot
from tests.ending_games import ended, proposed
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_pool, make_till
from tests.paying import sell_slips
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


def history() -> list[date]:
    """50.00 from the organizer; 1.40 that nobody won; then all of it drawn, and 1 kopeck left. Return the days."""
    add_to_jackpot(game="sportloto", amount=5_000, document="Order 1", actor=make_organizers()[0])
    first = clock.today()
    rolled = make_pool("sportloto-variant")
    sell(rolled, ("X", 100), ("2", 100))
    settle(rolled, "1")
    second = clock.today()
    drawn = make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    sell_slips(drawn, make_till(), *[("1", 100)] * 3)
    settle(drawn, "1")  # 210 + 5,140 for three: 1,783 each, 1 left
    return [first, second, clock.today()]


def test_j1_the_days_open_with_what_closed_and_add_up_by_kind() -> None:
    first, second, third = history()
    assert list(jackpot_days("sportloto")) == [
        JackpotDay(first, 0, {TransferKind.JACKPOT_ORGANIZER: 5_000}, {}, 5_000),
        JackpotDay(second, 5_000, {TransferKind.JACKPOT_NO_WINNER: 140}, {}, 5_140),
        JackpotDay(third, 5_140, {TransferKind.JACKPOT_REMAINDER: 1}, {TransferKind.JACKPOT_DRAWN: 5_140}, 1),
    ]
    answer = Caller().get("jackpots/sportloto/days")
    assert answer.status_code == 200
    assert answer.json()["days"][2] == {
        "day": third.isoformat(),
        "opening": "51.40",
        "came_in": [{"kind": "jackpot_remainder", "amount": "0.01"}],
        "went_out": [{"kind": "jackpot_drawn", "amount": "51.40"}],
        "closing": "0.01",
    }
    assert Caller().get("jackpots/totolot/days").json() == {"game": "totolot", "days": []}
    assert told(Caller().get("jackpots/chess/days")) == (404, "not_found")


def test_a_history_that_does_not_add_up_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    good = JackpotMove("", now, 0, {"jackpot_organizer": 5}, 5)
    for bad in (
        JackpotMove("", now + timedelta(days=1), 6, {"jackpot_organizer": 1}, 7),
        JackpotMove("", now + timedelta(days=1), 5, {"jackpot_organizer": 1}, 7),
    ):
        monkeypatch.setattr(days_module, "jackpot_history", lambda _game, bad=bad: [good, bad])
        with pytest.raises(HistoryBroken):
            jackpot_days("sportloto")


def test_the_page_shows_the_chart_and_says_in_words_and_figures_what_it_shows() -> None:
    first, _second, third = history()
    page = visitor().get("/jackpot/sportloto/")
    assert page.status_code == 200
    text = text_of(page)
    assert "BYN 0.01 in the jackpot now" in text
    assert f"BYN 51.40 the most it held at the end of a day, {_second.strftime('%d.%m.%Y')}" in text
    assert f"A red dot is a day on which a pool drew the jackpot. {third.strftime('%d.%m.%Y')}" in text
    (image,) = re.findall(r"<img[^>]*>", page.content.decode())
    assert 'src="/jackpot/sportloto/chart.svg"' in image
    described = re.sub(r"\s+", " ", image.replace("\u00a0", " "))
    assert f"from {first.strftime('%d.%m.%Y')} until today: now BYN 0.01, at most BYN 51.40" in described
    assert "Jackpot put into a pool: BYN 51.40".lower() in text.lower()
    assert "style=" not in page.content.decode()
    assert visitor().get("/jackpot/chess/").status_code == 404
    assert "/jackpot/sportloto/" in visitor().get("/").content.decode()
    assert "Nothing yet." in text_of(visitor().get("/jackpot/totolot/"))


def test_the_chart_is_an_image_that_needs_no_style_no_script_and_nothing_from_elsewhere() -> None:
    history()
    answer = Client().get("/jackpot/sportloto/chart.svg")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer["Content-Security-Policy"] == "default-src 'none'"
    drawn = parseString(answer.content).documentElement  # noqa: S318 our own image
    assert drawn is not None
    assert (drawn.tagName, drawn.getAttribute("viewBox")) == ("svg", "0 0 720 280")
    for forbidden in ("style", "script", "href", "DOCTYPE", "None"):
        assert forbidden not in answer.content.decode().replace("xmlns:xlink", "")
    (line,) = drawn.getElementsByTagName("polyline")
    assert (line.getAttribute("fill"), line.getAttribute("stroke-width")) == ("none", "2")
    assert len(drawn.getElementsByTagName("circle")) == 1
    assert Client().get("/jackpot/totolot/chart.svg").status_code == 200
    assert Client().get("/jackpot/chess/chart.svg").status_code == 404
    assert Client().post("/jackpot/sportloto/chart.svg").status_code == 405


def test_the_line_stands_at_each_days_closing() -> None:
    first = date(2026, 1, 1)
    days = [
        JackpotDay(first, 0, {TransferKind.JACKPOT_ORGANIZER: 10_000}, {}, 10_000),
        JackpotDay(first + timedelta(days=10), 10_000, {}, {TransferKind.JACKPOT_DRAWN: 10_000}, 0),
    ]
    image = parseString(jackpot_chart(days, first + timedelta(days=20)))  # noqa: S318 our own image
    (line,) = image.getElementsByTagName("polyline")
    # From the left below, at once to the top of the scale, level to the middle, down, level to the right.
    points = [tuple(map(int, point.split())) for point in line.getAttribute("points").split(", ")]
    assert points == [(96, 34), (96, 34), (96, 262), (398, 262), (398, 34), (700, 34)]
    (dot,) = image.getElementsByTagName("circle")
    assert (dot.getAttribute("cx"), dot.getAttribute("cy")) == ("398", "34")
    words = re.findall(r">([^<]+)</text>", image.toxml())
    assert words == ["0", "25", "50", "75", "100", "01.01.2026", "21.01.2026"]


def test_the_scale_ends_at_a_round_sum() -> None:
    assert [nice_top(most) for most in (0, 100, 101, 50_000, 80_001, 1_234_567)] == [
        100,
        100,
        200,
        80_000,
        100_000,
        2_000_000,
    ]


def test_the_page_of_a_game_that_ended_says_so() -> None:
    add_to_jackpot(game="totolot", amount=300, document="Order 1", actor=make_organizers()[0])
    ended(proposed())
    text = text_of(visitor().get("/jackpot/totolot/"))
    day = legal_day(clock.now()).strftime("%d.%m.%Y")
    assert (
        f"This game ended on {day}, by document No 17-A of {day}. Its jackpot of BYN 3.00 was moved. Sportloto" in text
    )

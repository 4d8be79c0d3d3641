"""The public page of a jackpot, its chart, and the history that both are made of (J1)."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import caches
from reportlab.graphics.shapes import PolyLine

from accounts.ledger.kinds import TransferKind
from payouts.queries import JACKPOTS, jackpot_balance, jackpot_history
from payouts.queries import jackpot_days as days_module
from payouts.queries.jackpot import JackpotMove, jackpot_amounts, jackpot_moments
from payouts.queries.jackpot_days import HistoryBroken, JackpotDay, jackpot_days
from payouts.services.jackpot import add_to_jackpot
from payouts.views import jackpot as jackpot_page
from pools.documents.charts import jackpot_chart
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
    _first, second, third = history()
    page = visitor().get("/jackpot/sportloto/")
    assert page.status_code == 200
    text = text_of(page)
    assert "BYN 0.01 in the jackpot now" in text
    assert f"BYN 51.40 the most it held at the end of a day, {second.strftime('%d.%m.%Y')}" in text
    assert f"Pools drew it on: {third.strftime('%d.%m.%Y')}" in text
    (told,) = re.findall(r'<svg [^>]*role="img" aria-label="([^"]*)"', page.content.decode())
    assert told.startswith("Jackpot: Sportloto. ")
    assert told.endswith("BYN\u00a00.01")
    assert text.count("BYN 51.40") >= 4  # the most, and in the tables of the chart and of the days
    assert "Jackpot put into a pool: BYN 51.40".lower() in text.lower()
    assert "style=" not in page.content.decode()
    assert visitor().get("/jackpot/chess/").status_code == 404
    assert visitor().post("/jackpot/sportloto/").status_code == 405
    assert visitor().get("/jackpot/sportloto/chart.svg").status_code == 404
    assert "/jackpot/sportloto/" in visitor().get("/").content.decode()
    assert "Nothing yet." in text_of(visitor().get("/jackpot/totolot/"))


def test_the_line_is_level_from_move_to_move_and_goes_on_until_now() -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    moments = [(first, 10_000), (first + timedelta(days=10), 2_500)]
    chart = jackpot_chart("Sportloto", moments, first + timedelta(days=20))
    (line,) = [shape for shape in chart.drawing.contents if isinstance(shape, PolyLine)]
    across, up = line.points[::2], line.points[1::2]
    low, middle, high = min(across), (min(across) + max(across)) / 2, max(across)
    assert across == pytest.approx([low, middle, middle, high])
    assert [up[0], up[2]] == [up[1], up[3]]  # level, down at once, level
    assert up[0] > up[2]
    assert len(chart.rows) == 2
    one = jackpot_chart("Sportloto", moments[:1], first + timedelta(days=1))
    assert len(one.rows) == 1
    with pytest.raises(ValueError, match="two instants"):
        jackpot_chart("Sportloto", moments[:1])


def test_what_all_jackpots_hold_is_asked_at_once_and_is_their_history() -> None:
    assert jackpot_amounts() == {"sportloto": 0, "totolot": 0}
    history()
    add_to_jackpot(game="totolot", amount=300, document="Order 2", actor=make_organizers()[0])
    caches["process"].clear()
    assert jackpot_amounts() == {game: jackpot_balance(game) for game in JACKPOTS} == {"sportloto": 1, "totolot": 300}
    for game in JACKPOTS:
        assert jackpot_moments(game) == [(move.at, move.closing) for move in jackpot_history(game)]


def test_many_days_are_read_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    moves = [
        JackpotMove("", now - timedelta(days=500 - day), 100 * day, {"jackpot_organizer": 100}, 100 * (day + 1))
        for day in range(500)
    ]
    for module in (days_module, jackpot_page):
        monkeypatch.setattr(module, "jackpot_history", lambda _game: moves)
    page = visitor().get("/jackpot/sportloto/?page=2").content.decode()
    assert page.count("<td") < 2_200  # fifty days, and two hundred in the table of the chart
    assert 'href="?page=3"' in page


def test_the_page_of_a_game_that_ended_says_so() -> None:
    add_to_jackpot(game="totolot", amount=300, document="Order 1", actor=make_organizers()[0])
    ended(proposed())
    text = text_of(visitor().get("/jackpot/totolot/"))
    day = legal_day(clock.now()).strftime("%d.%m.%Y")
    assert (
        f"This game ended on {day}, by document No 17-A of {day}. Its jackpot of BYN 3.00 was moved. Sportloto" in text
    )

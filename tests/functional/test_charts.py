"""Charts: the same drawing for pages and paper, in the colours of the design, with the same said in a table."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Rect

from pools.documents.charts import division_chart, fund_chart, jackpot_chart, shares_chart, turnover_chart
from tests.functional.page_policy import Faults
from tests.functional.test_design import tokens
from totalizator.core.chart_svg import chart_svg, svg_colour
from totalizator.core.charts import COLOURS, Chart, Series, line_chart, tick_step

START = datetime(2026, 6, 1, 9, tzinfo=UTC)
MOMENTS = [(START + timedelta(hours=hour), 10_000 * hour * hour) for hour in range(7)]
HOURS = [(hour, 5_000 * hour) for hour in range(24)]
COUNTS = {"Динамо – БАТЭ": {"1": 60, "X": 30, "2": 10}, "Неман – Гомель": {"1": 0, "X": 0, "2": 100}}


def charts() -> list[Chart]:
    with translation.override("ru"):
        return [fund_chart(MOMENTS), jackpot_chart("Тотолот", MOMENTS), turnover_chart(HOURS), shares_chart(COUNTS)]


def test_the_colours_of_paper_are_the_light_ones_of_the_design_and_all_different() -> None:
    light = {name: pair[0] for name, pair in tokens().items()}
    assert {name: colour.hexval().replace("0x", "#") for name, colour in COLOURS.items()} == {
        name: light[name] for name in COLOURS
    }
    assert len({svg_colour(colour) for colour in COLOURS.values()}) == len(COLOURS)


@pytest.mark.parametrize("place", range(4), ids=["fund", "jackpot", "turnover", "shares"])
def test_a_page_gets_it_in_its_own_colours_and_without_a_style(place: int) -> None:
    svg = chart_svg(charts()[place])
    assert Faults(svg).found == []
    assert 'fill="var(--chart-1)"' in svg
    assert "rgb(" not in svg
    assert " id=" not in svg
    assert re.match(r'<svg [^>]*role="img" aria-label="[^"]{10,}"', svg)


@pytest.mark.parametrize("place", range(4), ids=["fund", "jackpot", "turnover", "shares"])
def test_paper_gets_the_same_drawing(place: int) -> None:
    made = renderPDF.drawToString(charts()[place].drawing)
    assert made.startswith(b"%PDF-")
    assert b"Roboto" in made


def test_the_table_says_the_same() -> None:
    fund, jackpot, turnover, shares = charts()
    assert fund.rows[6] == ("01.06.2026 18:00", "3\u00a0600,00\u00a0BYN")
    assert (fund.title, fund.columns) == ("Выигрышный фонд", ("Когда", "Выигрышный фонд"))
    assert fund.summary == "01.06.2026 12:00: 0,00\u00a0BYN; 01.06.2026 18:00: 3\u00a0600,00\u00a0BYN"
    assert jackpot.title == "Джек-пот: Тотолот"
    assert turnover.rows[23] == ("23:00", "1\u00a0150,00\u00a0BYN")
    assert turnover.summary == "13\u00a0800,00\u00a0BYN"
    assert shares.rows[0] == ("Динамо – БАТЭ", "1 60 (60,0\u00a0%), X 30 (30,0\u00a0%), 2 10 (10,0\u00a0%)")


@pytest.mark.parametrize(
    ("most", "step"), [(0, 1), (5, 1), (6, 2), (10, 2), (11, 5), (26, 10), (50, 10), (51, 20), (4_420_875, 1_000_000)]
)
def test_the_lines_of_an_axis_are_round_amounts(most: int, step: int) -> None:
    assert tick_step(most) == step


def test_the_axis_writes_whole_rubles() -> None:
    svg = chart_svg(charts()[0])
    assert "1\u00a0000\u00a0BYN" in svg
    assert "4\u00a0000\u00a0BYN" in svg
    assert ",00" not in svg.partition("<g")[2]


def test_a_bar_is_as_wide_as_its_share() -> None:
    bars = [shape for shape in charts()[3].drawing.contents if isinstance(shape, Rect)]
    whole = sum(bar.width + 2 for bar in bars[:3])
    assert [round((bar.width + 2) / whole, 3) for bar in bars[:3]] == [0.6, 0.3, 0.1]


@pytest.mark.parametrize(
    ("instants", "series"),
    [([START], [Series("", (1,))]), ([START, START + timedelta(hours=1)], [Series("", (1,))])],
)
def test_a_line_needs_two_instants_and_an_amount_for_each(instants: list[datetime], series: list[Series]) -> None:
    with pytest.raises(ValueError, match="two instants"):
        line_chart(instants, series)


def test_nothing_staked_draws_an_empty_chart() -> None:
    assert renderPDF.drawToString(turnover_chart([(0, 0)]).drawing).startswith(b"%PDF-")
    with translation.override("ru"):
        assert ">0\u00a0BYN<" in chart_svg(fund_chart([(START, 0), (START + timedelta(hours=1), 0)]))


def test_what_a_division_draws_is_the_whole() -> None:
    with translation.override("ru"):
        chart = division_chart(1_000, {"Организатору": 300, "Победителям": 700})
    assert chart.rows == (("Организатору", "3,00\u00a0BYN"), ("Победителям", "7,00\u00a0BYN"))
    with pytest.raises(ValueError, match="the whole"):
        division_chart(1_000, {"Организатору": 300, "Победителям": 699})

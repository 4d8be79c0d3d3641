"""Charts, drawn once for pages (SVG) and for paper (PDF), each with the table that says the same in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from reportlab.graphics.shapes import Drawing, Line, Polygon, PolyLine, Rect, String
from reportlab.lib.colors import Color, HexColor

from totalizator.core.localtime import LEGAL_ZONE
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD, REGULAR, drawable

# The colours of paper; on a page each is the token of its name, which is another one in the dark.
COLOURS = {
    "chart-1": HexColor("#0a6349"),
    "chart-2": HexColor("#9a6b00"),
    "chart-3": HexColor("#1f4e8c"),
    "chart-4": HexColor("#9c3f7a"),
    "ink": HexColor("#16201c"),
    "quiet": HexColor("#515d57"),
    "rule": HexColor("#dddbd2"),
    "card": HexColor("#ffffff"),
}
SERIES = ("chart-1", "chart-2", "chart-3", "chart-4")
WIDTH, HEIGHT, TEXT = 440, 240, 13
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 14, 30, 26
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, what it says in a sentence, and the same as a table of texts."""

    title: str
    summary: str
    drawing: Drawing
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Amounts in kopecks, one at each instant of the chart."""

    name: str
    amounts: tuple[int, ...]


def tick_step(most: int) -> int:
    """Return the least of 1, 2, 5, 10, 20, … kopecks that reaches `most` in five steps."""
    step = 1
    while True:
        for times in (1, 2, 5):
            if step * times * _MOST_TICKS >= most:
                return step * times
        step *= 10


def line_chart(instants: Sequence[datetime], series: Sequence[Series]) -> Drawing:
    """Draw amounts over time: a line a series, its area lightly filled when it is the only one.

    :raises ValueError: for a series that has not one amount for each instant, or for fewer than two instants.
    """
    if len(instants) < 2 or any(len(each.amounts) != len(instants) for each in series):
        raise ValueError("a line needs two instants, and an amount for each")
    drawing = Drawing(WIDTH, HEIGHT)
    top = _amount_axis(drawing, max(max(each.amounts) for each in series))
    first, span = instants[0], (instants[-1] - instants[0]).total_seconds() or 1.0
    across = [_LEFT + (at - first).total_seconds() / span * (WIDTH - _LEFT - _RIGHT) for at in instants]
    _time_axis(drawing, instants[0], instants[-1])
    for colour, each in zip(SERIES, series, strict=False):
        points = [place for x, amount in zip(across, each.amounts, strict=True) for place in (x, _height(amount, top))]
        if len(series) == 1:
            ground = [across[0], _BOTTOM, *points, across[-1], _BOTTOM]
            drawing.add(Polygon(ground, fillColor=_pale(COLOURS[colour]), strokeColor=None))
        drawing.add(PolyLine(points, strokeColor=COLOURS[colour], strokeWidth=2.5, strokeLineJoin=1))
    _legend(drawing, [each.name for each in series])
    return drawing


def column_chart(names: Sequence[str], amounts: Sequence[int]) -> Drawing:
    """Draw amounts in kopecks side by side: a column each, its name under it where there is room."""
    drawing = Drawing(WIDTH, HEIGHT)
    top = _amount_axis(drawing, max(amounts, default=0))
    room = (WIDTH - _LEFT - _RIGHT) / max(1, len(amounts))
    named = max(1, -(-len(names) // 8))
    for place, (name, amount) in enumerate(zip(names, amounts, strict=True)):
        left = _LEFT + room * place
        height = _height(amount, top) - _BOTTOM
        drawing.add(
            Rect(left + room * 0.15, _BOTTOM, room * 0.7, height, fillColor=COLOURS["chart-1"], strokeColor=None)
        )
        if place % named == 0:
            _write(drawing, left + room / 2, 8, name, anchor="middle")
    return drawing


def share_chart(rows: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> Drawing:
    """Draw how wholes are shared: a name and under it a bar for each, parted among its outcomes (code and count)."""
    line, step = 20, 52
    drawing = Drawing(WIDTH, len(rows) * step)
    for place, (name, parts) in enumerate(rows, start=1):
        low = drawing.height - place * step + 6
        _write(drawing, 0, low + line + 6, name)
        whole, left = sum(count for _, count in parts), 0.0
        for colour, (code, count) in zip(cycle(SERIES), parts, strict=False):
            wide = WIDTH * count / whole if whole else 0
            drawing.add(Rect(left, low, max(0, wide - 2), line, fillColor=COLOURS[colour], strokeColor=None))
            if wide > 60:
                drawing.add(_text(left + 8, low + 5, f"{code}  {_per_cent(count, whole)}", "card", bold=True))
            left += wide
    return drawing


def _pale(colour: Color) -> Color:
    return Color(colour.red, colour.green, colour.blue, alpha=0.12)


def _per_cent(count: int, whole: int) -> str:
    return f"{(200 * count + whole) // (2 * whole)}\u00a0%"


def _height(amount: int, top: int) -> float:
    return _BOTTOM + (HEIGHT - _TOP - _BOTTOM) * max(0, amount) / top


def _amount_axis(drawing: Drawing, most: int) -> int:
    """Draw the lines of round amounts; return the amount at the top of the chart."""
    step = max(100, tick_step(most))
    ticks = max(1, -(-most // step))
    for tick in range(ticks + 1):
        y = _height(tick * step, ticks * step)
        drawing.add(Line(_LEFT, y, WIDTH - _RIGHT, y, strokeColor=COLOURS["rule"], strokeWidth=1))
        _write(drawing, _LEFT - 8, y - 4, _whole(tick * step), anchor="end")
    return ticks * step


def _whole(kopecks: int) -> str:
    """Write an amount of whole rubles as the axis does, without its kopecks."""
    return re.sub(r"[.,]00(?!\d)", "", format_byn(kopecks))


def _time_axis(drawing: Drawing, first: datetime, last: datetime) -> None:
    long = (last - first).total_seconds() > 3 * 86_400
    for half, anchor in enumerate(("start", "middle", "end")):
        at = (first + (last - first) * half / 2).astimezone(ZoneInfo(LEGAL_ZONE))
        told = date_format(at, "d.m" if long else "d.m H:i", use_l10n=False)
        _write(drawing, _LEFT + (WIDTH - _LEFT - _RIGHT) * half / 2, 8, told, anchor=anchor)


def _legend(drawing: Drawing, names: Sequence[str]) -> None:
    left = float(_LEFT)
    for colour, name in zip(SERIES, names if len(names) > 1 else (), strict=False):
        drawing.add(Rect(left, HEIGHT - 13, 10, 10, fillColor=COLOURS[colour], strokeColor=None))
        drawing.add(_text(left + 15, HEIGHT - 12, name, "ink"))
        left += 30 + 7 * len(name)


def _write(drawing: Drawing, x: float, y: float, text: str, anchor: str = "start") -> None:
    label = _text(x, y, text, "quiet")
    label.textAnchor = anchor
    drawing.add(label)


def _text(x: float, y: float, text: str, colour: str, *, bold: bool = False) -> String:
    font = BOLD if bold else REGULAR
    shown = drawable(text, font)
    return String(x, y, shown, fontName=font, fontSize=TEXT, fillColor=COLOURS[colour])

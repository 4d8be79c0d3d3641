"""The chart of a jackpot: what it held at the end of each day, as an SVG image without words (J1).

The page beside it says in words and in a table what it shows. Nothing in it needs a style sheet or a script, so it is
shown under the strictest content security policy.
"""

import re
from collections.abc import Sequence
from datetime import date

from reportlab.graphics import renderSVG
from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, PolyLine, String
from reportlab.lib.colors import HexColor

from payouts.queries.jackpot_days import JackpotDay

WIDTH, HEIGHT = 720, 280
_LEFT, _RIGHT, _BOTTOM, _TOP = 96, 700, 34, 262
_INK, _QUIET, _RULE = HexColor("#0b6b4f"), HexColor("#5b6662"), HexColor("#d9d8d0")
_AREA, _DRAWN = HexColor("#e2f0ea"), HexColor("#a32020")
_FONT, _SIZE = "Helvetica", 11
_STEPS = 4
_STYLE = re.compile(r'\s+style="([^"]*)"')
# The type of the document, a title and a description that say nothing, and a transformation that is none.
_WITHOUT = re.compile(r'<!DOCTYPE[^>]*>\s*|<title>[^<]*</title>\s*|<desc>[^<]*</desc>\s*| transform=""')


def jackpot_chart(days: Sequence[JackpotDay], today: date) -> bytes:
    """Return the image: a line of steps from the first day to `today`; a dot where a pool drew the jackpot."""
    drawing = Drawing(WIDTH, HEIGHT)
    top = nice_top(max((max(day.opening, day.closing) for day in days), default=0))
    for step in range(_STEPS + 1):
        _rule(drawing, top * step // _STEPS, top)
    if days:
        first, last = days[0].day, max(today, days[-1].day)
        _steps(drawing, days, first, last, top)
        for day, anchor in ((first, "start"), (last, "end")):
            drawing.add(_text(day.strftime("%d.%m.%Y"), _across(day, first, last), _BOTTOM - 20, anchor))
    return plain_svg(renderSVG.drawToString(drawing))


def nice_top(most: int) -> int:
    """Return the least of 1, 2, 4 or 8 roubles times a power of ten that is no less than `most` kopecks."""
    unit = 100
    while True:
        for factor in (1, 2, 4, 8):
            if unit * factor >= most:
                return unit * factor
        unit *= 10


def plain_svg(text: str) -> bytes:
    """Return the image with every `style` written as attributes, which no content security policy forbids."""
    text = _WITHOUT.sub("", text)
    return _STYLE.sub(lambda style: _attributes(style.group(1)), text).encode()


def _attributes(style: str) -> str:
    parts = (part.partition(":") for part in style.split(";") if part.strip())
    named = ((name.strip(), value.strip()) for name, _colon, value in parts)
    return "".join(f' {name}="{"none" if value == "None" else value}"' for name, value in named)


def _steps(drawing: Drawing, days: Sequence[JackpotDay], first: date, last: date, top: int) -> None:
    """Draw what it held: level from day to day, up or down at each; where days share a pixel the last one counts."""
    closings = {_across(day.day, first, last): _up(day.closing, top) for day in days}
    points: list[int] = [_LEFT, _up(days[0].opening, top)]
    for across, up in closings.items():
        points += [across, points[-1], across, up]
    points += [_RIGHT, points[-1]]
    drawing.add(Polygon([_LEFT, _BOTTOM, *points, _RIGHT, _BOTTOM], fillColor=_AREA, strokeColor=None))
    drawing.add(PolyLine(points, strokeColor=_INK, strokeWidth=2))
    for day in days:
        if day.was_drawn:
            place = (_across(day.day, first, last), _up(day.closing, top))
            drawing.add(Circle(*place, 4, fillColor=_DRAWN, strokeColor=_DRAWN))


def _rule(drawing: Drawing, amount: int, top: int) -> None:
    up = _up(amount, top)
    drawing.add(Line(_LEFT, up, _RIGHT, up, strokeColor=_RULE, strokeWidth=1))
    drawing.add(_text(f"{amount // 100:,}".replace(",", "\u00a0"), _LEFT - 8, up - 4, "end"))


def _text(text: str, across: int, up: int, anchor: str) -> String:
    return String(across, up, text, fontName=_FONT, fontSize=_SIZE, fillColor=_QUIET, textAnchor=anchor)


def _across(day: date, first: date, last: date) -> int:
    """Return the pixel of a day, counted from the left."""
    return _LEFT + (_RIGHT - _LEFT) * (day - first).days // max(1, (last - first).days)


def _up(amount: int, top: int) -> int:
    """Return the pixel of an amount, counted from below."""
    return _BOTTOM + (_TOP - _BOTTOM) * amount // top

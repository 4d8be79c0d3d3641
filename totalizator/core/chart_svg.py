"""A chart as SVG inside a page: in the page's own colours and type, without one style that its policy would refuse."""

import re
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from reportlab.graphics.renderSVG import drawToString
from reportlab.lib.colors import Color

from totalizator.core.charts import COLOURS, Chart

_SPACE = "{http://www.w3.org/2000/svg}"
_DECLARATION = re.compile(r"\s*([a-z-]+)\s*:\s*([^;]+?)\s*(?:;|$)")
# What would need an id of its own in every page, or says what the page says already.
_LEFT_OUT = {"font-family", "clip-path", "id", "version", "preserveAspectRatio", "width", "height", "fill-rule"}


def svg_colour(colour: Color) -> str:
    """Write a colour as the drawing program does."""
    return "rgb({:d}%,{:d}%,{:d}%)".format(*(int(part * 100) for part in (colour.red, colour.green, colour.blue)))


_TOKENS = {svg_colour(colour): f"var(--{name})" for name, colour in COLOURS.items()} | {"None": "none"}


def chart_svg(chart: Chart) -> SafeString:
    """Return the drawing as an element; who cannot see it is told its title and summary."""
    told = {"role": "img", "aria-label": f"{chart.title}. {chart.summary}"}
    return mark_safe(_written(fromstring(drawToString(chart.drawing)), told))  # noqa: S308  escaped part by part


def _written(element: Element, more: dict[str, str]) -> str:
    """Write an element with its styles as attributes; titles and clips of the drawing program go."""
    name = element.tag.removeprefix(_SPACE)
    if name in ("title", "desc", "clipPath"):
        return ""
    styles = dict(_DECLARATION.findall(element.attrib.get("style", "")))
    bold = {"font-weight": "700"} if "Bold" in styles.get("font-family", "") else {}
    width = {"width": element.attrib["width"], "height": element.attrib["height"]} if name == "rect" else {}
    attributes = {key: value for key, value in (element.attrib | styles | bold).items() if key not in _LEFT_OUT}
    attributes.pop("style", None)
    shown = [
        format_html(' {}="{}"', key, _TOKENS.get(value, value)) for key, value in (attributes | width | more).items()
    ]
    inner = "".join(_written(child, {}) for child in element)
    return f"<{name}{''.join(shown)}>{escape((element.text or '').strip())}{inner}</{name}>"

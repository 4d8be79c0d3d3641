"""What is looked at on a page: what axe-core finds against WCAG 2.2 AA, and what sticks out of the screen."""

import json
from html.parser import HTMLParser
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = Axe().axe_script
EMPTY = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
STICKS_OUT = """() => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    return [...document.querySelectorAll("body *")]
        .filter(part => part.getBoundingClientRect().right > wide + 1 && !part.closest(".scroll"))
        .slice(-3).map(part => part.outerHTML.slice(0, 120));
}"""


def faults_of(page: Page) -> list[str]:
    """Let axe look at the page as it stands now.

    It is given to the page by the debugger, not as a script of the page: the page's policy lets no other in.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    asked = {"runOnly": LEVELS, "resultTypes": ["violations"], "preload": False, "iframes": False}
    found: dict[str, Any] = page.evaluate("asked => axe.run(asked)", asked)
    return [_told(violation) for violation in found["violations"]]


def _told(violation: dict[str, Any]) -> str:
    spots = [node["html"][:160] for node in violation["nodes"]]
    return f"{violation['id']}: {violation['help']}: {json.dumps(spots[:3], ensure_ascii=False)}"


def sticking_out(page: Page, width: int) -> list[str]:
    """Make the screen `width` wide; return what then makes the whole page scroll sideways (innermost parts last)."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": width, "height": size["height"]})
    found: list[str] = page.evaluate(STICKS_OUT)
    return found


class _Shape(HTMLParser):
    """The ways from a page's content down to each element of it: tags, classes and kinds, and none of its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.above: list[str] = []
        self.ways: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.above or tag == "main":
            given = dict(attrs)
            self.above.append(f"{tag} {given.get('class', '')} {given.get('type', '')} {given.get('role', '')}")
            self.ways.add(">".join(self.above))
            if tag in EMPTY:
                self.above.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.above and tag not in EMPTY and self.above.pop().partition(" ")[0] != tag:
            pass


def shape(page: str) -> frozenset[str]:
    """Tell what a page is built of, so that of pages built alike one is looked at."""
    return frozenset(_Shape(page).ways)

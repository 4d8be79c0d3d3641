"""Going through the site as a reader would: from the first page, by every link that a page shows."""

from collections import deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from django.test import Client

MOST_PAGES = 1_000
NOT_OURS = ("/static/", "/desk/reference/")
"""Files, and the pages of Django's admin, a page for each row: `test_reference` goes through those."""
TWINS = 3
"""How many addresses that differ only in what stands after `?` are opened: more of them show nothing new."""


@dataclass(slots=True)
class Found:
    """What a reader found: the answer of each address, which page led there, and where each form would send."""

    answers: dict[str, Any] = field(default_factory=dict)
    led_by: dict[str, str] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)

    @property
    def pages(self) -> dict[str, str]:
        """The pages to be read, without files."""
        return {path: answer.content.decode() for path, answer in self.answers.items() if is_page(answer)}


class Ways(HTMLParser):
    """The ways out of a page: what links and what forms name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what leads on."""
        given = dict(attrs)
        if tag in ("a", "link", "img", "script"):
            self.links.extend(value for name in ("href", "src") if (value := given.get(name)))
        if tag == "form":
            self.forms.append(given.get("action") or "")
        self.links.extend(value for name in ("hx-get", "data-src") if (value := given.get(name)))


def is_page(answer: Any) -> bool:
    """Tell whether an answer is a page and no file and no way on."""
    return answer.status_code == 200 and not answer.streaming and answer["Content-Type"].startswith("text/html")


def crawl(client: Client, start: str = "/") -> Found:
    """Open every address that is shown, the nearest first; static files are known to be there, and not opened."""
    found, waiting, twins = Found(), deque([start]), {start: 1}
    while waiting:
        path = waiting.popleft()
        answer = found.answers[path] = client.get(path)
        assert len(found.answers) < MOST_PAGES, "the site has no end"
        if answer.status_code in (301, 302):
            ways = Ways(f'<a href="{answer["Location"]}">')
        elif is_page(answer):
            ways = Ways(answer.content.decode())
        else:
            continue
        for form in ways.forms:
            found.forms.setdefault(urlsplit(urljoin(path, form)).path, path)
        for link in ways.links:
            way = _here(path, link)
            if way is None or way in found.led_by or way == start:
                continue
            place = urlsplit(way).path
            twins[place] = twins.get(place, 0) + 1
            if twins[place] <= TWINS:
                found.led_by[way] = path
                waiting.append(way)
    return found


def _here(path: str, link: str) -> str | None:
    """The address of a link on the page at `path`, if it is of this site and no static file."""
    parts = urlsplit(urldefrag(urljoin(path, link)).url)
    if parts.scheme or parts.netloc or parts.path.startswith(NOT_OURS):
        return None
    return parts.geturl()

"""Every page of every role in a real browser: nothing against WCAG 2.2 AA, nothing cut off on a phone, no complaint."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from accounts.models import Role, User
from tests.browser.driving import COUNTER, NARROW_PHONE, PHONE, Desk, seated
from tests.browser.looking import faults_of, shape, sticking_out
from tests.functional.browsing import visitor
from tests.functional.crawling import crawl, is_page
from tests.functional.test_pages_access import addresses, expected, filled
from tests.town import Town, make_town

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PUBLIC = (None, Role.PLAYER, Role.CASHIER)
STAFF = (Role.COMMISSION, Role.ORGANIZER, Role.REGULATOR)


def pages_of(town: Town, person: User | None) -> Iterator[tuple[str, str]]:
    """Every page that opens to the person: what links lead to, and what has an address of its own; with its text."""
    client, role = visitor(person), Role(person.role) if person else None
    found = crawl(client).pages
    for route, _name in addresses():
        path = filled(route, town.pools["settled"], town.ticket)
        if path in found or route.startswith("/api/") or expected(path, role) <= {302, 403, 405}:
            continue
        if is_page(answer := client.get(path)):
            found[path] = answer.content.decode()
    yield from ((path, page) for path, page in sorted(found.items()) if page.startswith("<!doctype html>"))


def pages_to_look_at(town: Town, roles: tuple[Role | None, ...]) -> Iterator[tuple[User | None, list[str]]]:
    """Of the pages of these roles those that are built differently, also from what everybody sees."""
    seen = {shape(page) for _path, page in pages_of(town, None)} if None not in roles else set()
    for role in roles:
        chosen, person = [], town.visitors[role]
        for path, page in pages_of(town, person):
            if (built := shape(page)) not in seen:
                seen.add(built)
                chosen.append(path)
        yield person, chosen


def faults_on(desk: Desk, path: str, *, wide: bool) -> list[str]:
    """Look at one page: what sticks out on phones, and with axe light on a phone or dark on a counter's screen."""
    desk.open(path)
    found = []
    for width, _height in (NARROW_PHONE, PHONE):
        found += [f"at {width} px: {part}" for part in sticking_out(desk.page, width)]
    if not wide:
        return found + faults_of(desk.page)
    desk.page.emulate_media(color_scheme="dark")
    desk.page.set_viewport_size({"width": COUNTER[0], "height": COUNTER[1]})
    found += [f"dark, wide: {fault}" for fault in faults_of(desk.page)]
    desk.page.emulate_media(color_scheme="light")
    desk.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    return found


@pytest.mark.parametrize("roles", [PUBLIC, STAFF], ids=["public", "staff"])
def test_no_page_of_anybody_has_a_fault(
    roles: tuple[Role | None, ...], browser: Browser, live_server: LiveServer
) -> None:
    town, looked_at = make_town(), 0
    faults: dict[str, list[str]] = {}
    for person, paths in pages_to_look_at(town, roles):
        with seated(browser, live_server.url, person, size=PHONE) as desk:
            for number, path in enumerate(paths):  # by turns: the parts that pages are made of meet both
                if found := faults_on(desk, path, wide=number % 2 == 1):
                    faults[path] = found
            assert desk.complaints == []
        looked_at += len(paths)
    assert faults == {}
    assert looked_at > 30


FAULTY = """<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>
<p class="faint">Hardly to be seen</p><input><div class="wide">Wide</div></main></html>"""
FAINT = ".faint { color: #999; background: #fff } .wide { width: 700px }"


def test_faults_are_found(browser: Browser) -> None:
    with seated(browser, "http://localhost", size=PHONE) as desk:
        desk.page.set_content(FAULTY)
        desk.page.add_style_tag(content=FAINT)
        assert sorted(fault.partition(":")[0] for fault in faults_of(desk.page)) == ["color-contrast", "label"]
        assert sticking_out(desk.page, PHONE[0]) == ['<div class="wide">Wide</div>']
        assert sticking_out(desk.page, COUNTER[0]) == []
        desk.page.evaluate("console.error('refused')")
        assert desk.complaints == ["about:blank: refused"]

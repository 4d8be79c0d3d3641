"""Every page, for every kind of reader: what its headers forbid the browser, and nothing in it needs an exception."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import Role
from tests.functional.browsing import visitor
from tests.functional.test_pages_access import addresses, filled, people
from tests.functional.test_pages_of_allauth import (
    FOR_A_PLAYER,
    FOR_A_PROTECTED_PLAYER,
    FOR_NOBODY,
    logged_in,
    protected,
)
from tests.making import bet_from_account, make_commission, make_player, make_pool
from tests.settling import settle

pytestmark = pytest.mark.django_db
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


class Faults(HTMLParser):
    """What of a page its policy would refuse: styles and scripts in it, and what comes from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "style" or (tag == "script" and not given.get("src") and given.get("type") != "application/json"):
            self.found.append(tag)
        for name, value in given.items():
            loads = (
                (name == "src" or (name == "href" and tag == "link"))
                and not value.startswith("data:image")
                and (value.startswith("//") or not value.startswith("/"))
            )
            if name == "style" or name.startswith(("on", "hx-on")) or loads or value.startswith("javascript:"):
                self.found.append(f"{tag} {name}")


def refused(answer: Any) -> list[str]:
    """The faults of an answer, with what is missing of its headers."""
    directives = {part.strip() for part in answer["Content-Security-Policy"].split(";")}
    html = answer["Content-Type"].startswith("text/html") and not answer.streaming
    missing = sorted(POLICY ^ directives)
    for name, value in (
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ):
        if answer[name] != value:
            missing.append(name)
    if "camera=()" not in answer["Permissions-Policy"]:
        missing.append("Permissions-Policy")
    return missing + (Faults(answer.content.decode()).found if html else [])


@pytest.mark.parametrize("settled", [False, True], ids=["open", "settled"])
def test_no_page_needs_what_the_policy_refuses(settled: bool) -> None:
    keys, player = make_commission(), make_player(10_000)
    pool = make_pool(keys=keys)
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    if settled:
        settle(pool, "1;X;2")
    pages = 0
    for person in people(keys, player).values():
        client = visitor(person)
        for route, name in addresses():
            if route.startswith("/api/") and name != "docs":
                continue
            answer = client.get(filled(route, pool, ticket))
            assert refused(answer) == [], route
            pages += answer.status_code == 200 and answer["Content-Type"].startswith("text/html")
    assert pages > 60


def allauth() -> Iterator[tuple[str, Any]]:
    yield from ((address, visitor()) for address in FOR_NOBODY.values())
    for address in FOR_A_PLAYER.values():
        player = logged_in(make_player())
        player.post("/account/reauthenticate/", {"password": "correct horse battery"})
        yield address, player
    guarded, key = protected()
    yield from ((address.format(key=key), guarded) for address in FOR_A_PROTECTED_PLAYER.values())


def test_pages_of_other_peoples_packages_keep_to_it_too() -> None:
    for address, client in allauth():
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert refused(answer) == [], address


def test_answers_of_the_api_and_refusals_carry_the_headers() -> None:
    for path in ("/api/v1/pools/", "/api/v1/nowhere", "/nowhere/", "/api/v1/me"):
        assert refused(visitor().get(path)) == [], path


def test_a_browser_is_told_to_keep_to_https() -> None:
    with override_settings(SECURE_HSTS_SECONDS=31_536_000):
        assert visitor().get("/", secure=True)["Strict-Transport-Security"] == "max-age=31536000"
        assert "Strict-Transport-Security" not in visitor().get("/")


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<p style="color: red">', "p style"),
        ("<style>p {}</style>", "style"),
        ("<script>alert(1)</script>", "script"),
        ('<a href="#" onclick="go()">', "a onclick"),
        ('<a href="javascript:go()">', "a href"),
        ('<script src="https://cdn.example/x.js">', "script src"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', None),
    ],
)
def test_each_fault_is_noticed(page: str, fault: str | None) -> None:
    assert Faults(page).found == ([fault] if fault else ["link href"])


def test_who_may_see_the_design() -> None:
    for role, person in people(make_commission(), make_player()).items():
        status = visitor(person).get("/design/").status_code
        assert status == {None: 302, Role.PLAYER: 403}.get(role, 200)

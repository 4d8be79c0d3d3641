"""What the headers forbid the browser, and that it is noticed; every page of ours: test_pages_access.py."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Role
from tests.functional.browsing import visitor
from tests.functional.page_policy import Faults, refused
from tests.functional.test_pages_access import people
from tests.functional.test_pages_of_allauth import (
    FOR_A_PLAYER,
    FOR_A_PROTECTED_PLAYER,
    FOR_NOBODY,
    logged_in,
    protected,
)
from tests.making import make_commission, make_player

pytestmark = pytest.mark.django_db


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

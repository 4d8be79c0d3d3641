"""Every link and form of every page, followed by each role: it leads somewhere, and to nobody else's page (R1)."""

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from tests.functional.browsing import visitor
from tests.functional.crawling import Found, Ways, crawl
from tests.town import Town, make_town

pytestmark = pytest.mark.django_db
OWN_PLACES = {None: "/check/", "player": "/my/", "cashier": "/till/", "commission": "/commission/"}
OWN_PLACES |= {"organizer": "/desk/", "regulator": "/reports/"}


def dead(found: Found) -> dict[str, tuple[int, str]]:
    """The links that lead nowhere or to a page of another's, with the answer and the page that shows the link."""
    astray = {}
    for path, answer in found.answers.items():
        to_log_in = answer.status_code == 302 and answer["Location"].startswith("/account/login/")
        if answer.status_code >= 400 or to_log_in:
            astray[path] = (answer.status_code, found.led_by.get(path, ""))
    return astray


def dead_forms(found: Found) -> dict[str, str]:
    """Where forms would send to that is no address of the site, with the page that has the form."""
    astray = {}
    for path, page in found.forms.items():
        try:
            resolve(path)
        except Resolver404:
            astray[path] = page
    return astray


def test_each_role_is_led_only_to_pages_that_open_to_it() -> None:
    town = make_town()
    for role, person in town.visitors.items():
        found = crawl(visitor(person))
        assert dead(found) == {}, role
        assert dead_forms(found) == {}, role
        assert OWN_PLACES[role] in found.answers, role
        assert len(found.pages) > 20, (role, sorted(found.pages))
        assert shown_of(town, found) >= {"open", "settled", "corrected"}, role


def shown_of(town: Town, found: Found) -> set[str]:
    """The pools whose page was found."""
    return {name for name, pool in town.pools.items() if f"/pools/{pool.code}/" in found.pages}


def test_a_dead_link_and_a_dead_form_are_found() -> None:
    ways = Ways('<a href="/nowhere/">x</a><form action="/nowhere/"></form><a href="/desk/">x</a>')
    found, client = Found(), Client()
    for link in ways.links:
        found.answers[link] = client.get(link)
        found.led_by[link] = "/"
    found.forms = dict.fromkeys(ways.forms, "/")
    assert dead(found) == {"/nowhere/": (404, "/"), "/desk/": (302, "/")}
    assert dead_forms(found) == {"/nowhere/": "/"}

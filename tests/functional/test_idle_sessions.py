"""Log-ins end by themselves: after a while without a request, and after half a day in any case (E3)."""

from datetime import date, timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Role, User
from accounts.views.idle import EndingOfLogIns
from tests.functional.browsing import text_of, visitor
from tests.making import make_player, make_till, make_user
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


def logged_in(person: User) -> Client:
    client = visitor()
    answer = client.post("/account/login/", {"login": person.username, "password": "correct horse battery"})
    assert answer.status_code == 302
    return client


def stays(client: Client) -> bool:
    return client.get("/account/password/change/").status_code == 200


def test_a_player_is_logged_out_after_half_an_hour_of_nothing() -> None:
    client = logged_in(make_player())
    clock.move_clock(timedelta(minutes=29, seconds=50))
    assert stays(client)
    clock.move_clock(timedelta(minutes=30))
    answer = client.get("/my/", follow=True)
    assert answer.redirect_chain[0][0].startswith("/account/login/")
    assert "logged out because nothing was done" in text_of(answer)


@pytest.mark.parametrize("role", [Role.CASHIER, Role.ORGANIZER, Role.COMMISSION])
def test_everybody_else_is_after_a_quarter(role: Role) -> None:
    client = logged_in(make_user(role))
    clock.move_clock(timedelta(minutes=14, seconds=50))
    assert stays(client)
    clock.move_clock(timedelta(minutes=15))
    assert not stays(client)


def test_however_busy_a_log_in_is_it_lasts_12_hours() -> None:
    client = logged_in(make_player())
    for _ in range(29):
        clock.move_clock(timedelta(minutes=24, seconds=45))
        assert stays(client)
    clock.move_clock(timedelta(minutes=2))
    assert stays(client)
    clock.move_clock(timedelta(minutes=1))
    assert not stays(client)


def test_a_log_in_that_is_not_used_once_ends_too() -> None:
    client = logged_in(make_player())
    clock.move_clock(timedelta(minutes=30))
    assert not stays(client)


def test_the_time_is_a_dated_setting() -> None:
    LegalNumber.objects.create(name="idle_minutes_player", valid_from=date(2020, 1, 1), value="5", source="test")
    forget_legal_numbers()
    client = logged_in(make_player())
    clock.move_clock(timedelta(minutes=5))
    assert not stays(client)


def test_the_use_of_a_log_in_is_written_down_once_a_minute_at_most() -> None:
    player = make_player()
    client = logged_in(player)
    for wait, written in ((timedelta(seconds=50), 0), (timedelta(seconds=10), 2), (timedelta(seconds=59), 0)):
        clock.move_clock(wait)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get("/my/")
        changes = [query["sql"] for query in queries if (query["sql"] or "").startswith(("UPDATE", "INSERT"))]
        assert len(changes) == written, changes
    assert UserSession.objects.filter(user=player).count() == 1


def test_without_it_a_log_in_would_go_on(settings: pytest.FixtureRequest) -> None:
    """The negative control."""
    name = f"{EndingOfLogIns.__module__}.{EndingOfLogIns.__name__}"
    settings.MIDDLEWARE = [part for part in settings.MIDDLEWARE if part != name]  # type: ignore[attr-defined]
    client = logged_in(make_player())
    clock.move_clock(13 * HOUR)
    assert stays(client)


def test_a_page_that_asks_by_itself_keeps_no_log_in_alive() -> None:
    client = logged_in(make_till().cashier or make_user(Role.CASHIER))
    for _time in range(2):
        clock.move_clock(timedelta(minutes=8))
        client.get("/till/customer/now/", headers={"X-By-Itself": "1"})
    assert not stays(client)
    page = visitor(make_till().cashier).get("/till/customer/")
    assert """hx-headers='{"X-By-Itself": "1"}'""" in page.content.decode()

"""A log-in of staff is closed by one person at once and opened again by another, on pages and over the API (R1)."""

from functools import partial

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from accounts.models import LoginClosing, LoginOpening, Role, User
from accounts.services.closing_logins import close_login, open_login
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_player, make_till, make_user
from tests.refusals import every_row, refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def test_r1_it_is_closed_at_once_and_opened_by_another_on_the_pages() -> None:
    (one, other), clerk = make_organizers(), make_till().cashier
    assert clerk is not None
    first, second, clerks = visitor(one), visitor(other), visitor(clerk)
    here = f"/desk/people/{clerk.pk}/"
    assert clerks.get("/till/").status_code == 200
    assert f'href="{here}close/"' in first.get(here).content.decode()
    assert first.post(f"{here}close/", {"reason": " "}).status_code == 400
    assert not LoginClosing.objects.exists()
    assert "nobody can do anything under it" in text_of(first.get(f"{here}close/"))
    assert "The log-in is closed." in text_of(first.post(f"{here}close/", {"reason": "The phone is lost"}, follow=True))
    assert clerks.get("/till/")["Location"].startswith("/account/login/")
    again = first.post(f"{here}close/", {"reason": "Once more"})
    assert (again.status_code, "This log-in is closed already." in text_of(again)) == (400, True)
    mine, theirs = first.get(here), second.get(here)
    assert "The phone is lost" in text_of(mine)
    assert (f"{here}open/" in mine.content.decode(), f"{here}open/" in theirs.content.decode()) == (False, True)
    own = first.post(f"{here}open/", {"reason": "Found"})
    assert (own.status_code, "Another person than who closed it" in text_of(own)) == (400, True)
    assert not User.objects.get(pk=clerk.pk).is_active
    assert second.post(f"{here}open/", {"reason": "Found"}).status_code == 302
    assert User.objects.get(pk=clerk.pk).is_active
    assert second.post(f"{here}open/", {"reason": "Found"}).status_code == 400
    acts = JournalRecord.objects.filter(subject=clerk.actor, act__endswith="_login").order_by("pk")
    assert list(acts.values_list("act", "actor", "reason", "after")) == [
        ("close_login", one.actor, "The phone is lost", {"open": False}),
        ("open_login", other.actor, "Found", {"open": True, "closed_by": one.actor}),
    ]
    for role in sorted(set(Role) - {Role.ORGANIZER}):
        for page in ("close", "open"):
            assert visitor(make_user(role)).post(f"{here}{page}/", {"reason": "x"}).status_code == 403


def test_r1_over_the_api_by_the_same_service() -> None:
    (one, other), clerk = make_organizers(), make_user(Role.COMMISSION)
    body = {"username": clerk.username, "reason": "Left"}
    answer = Caller(one).post("staff/closed-logins", body)
    assert (answer.status_code, answer.json()["opened"], answer.json()["closed_by"]) == (201, False, one.username)
    assert Caller(other).get("staff/closed-logins").json()["logins"] == [answer.json()]
    assert told(Caller(one).post("staff/closed-logins", body | {"username": "nobody"})) == (404, "not_found")
    assert told(Caller(one).post("staff/closed-logins", body)) == (409, "wrong_state")
    assert told(Caller(one).post("staff/closed-logins/opening", body)) == (403, "same_person")
    opened = Caller(other).post("staff/closed-logins/opening", body)
    assert (opened.status_code, opened.json()) == (200, answer.json() | {"opened": True})
    assert Caller(other).get("staff/closed-logins").json() == {"logins": [], "next": None}


def test_r1_two_of_the_staff_stay_and_what_is_refused_changes_nothing() -> None:
    (one, other), player = make_organizers(), make_player()
    for helper in User.objects.filter(role=Role.ORGANIZER).exclude(pk__in=(one.pk, other.pk)):
        close_login(person=helper, reason="x", closed_by=one)
    before = every_row()
    for person, code in (
        (one, Refusal.SAME_PERSON),
        (other, Refusal.WRONG_STATE),  # one alone could not even open it again
        (player, Refusal.NOT_ALLOWED),
    ):
        assert refused(partial(close_login, person=person, reason="x", closed_by=one)).code == code
    assert refused(lambda: open_login(person=other, reason="x", opened_by=one)).code == Refusal.WRONG_STATE
    assert refused(lambda: close_login(person=one, reason="x", closed_by=player)).code == Refusal.NOT_ALLOWED
    assert every_row() == before
    third = make_user(Role.ORGANIZER)
    close_login(person=other, reason="x", closed_by=one)
    assert refused(lambda: close_login(person=third, reason="x", closed_by=one)).code == Refusal.WRONG_STATE
    other.refresh_from_db()
    assert refused(lambda: close_login(person=third, reason="x", closed_by=other)).code == Refusal.NOT_ALLOWED
    assert refused(lambda: open_login(person=other, reason="x", opened_by=other)).code == Refusal.SAME_PERSON
    open_login(person=other, reason="x", opened_by=third)


def test_r1_the_database_opens_nothing_in_silence() -> None:
    (one, _other), clerk = make_organizers(), make_user(Role.CASHIER)
    closing = close_login(person=clerk, reason="x", closed_by=one)
    with pytest.raises(DatabaseError, match="nobody has opened"), transaction.atomic():
        User.objects.filter(pk=clerk.pk).update(is_active=True)
    with pytest.raises(IntegrityError, match="opened_by_another"), transaction.atomic():
        LoginOpening.objects.create(closing=closing, reason="x", closed_by=one, opened_by=one, opened_at=clock.now())
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        closing.delete()
    assert not User.objects.get(pk=clerk.pk).is_active

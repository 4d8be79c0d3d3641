"""What is answered when the system itself fails: 503 while the database is away, 500 for a fault; no traceback."""

import json
from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from psycopg.errors import ReadOnlySqlTransaction

from accounts.models import User
from totalizator.core.sessions import SessionStore


def made_a_standby() -> InternalError:
    """What Django raises when the server that a connection leads to takes no writes any more."""
    fault = InternalError("cannot execute INSERT in a read-only transaction")
    fault.__cause__ = ReadOnlySqlTransaction()
    return fault


def failing(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(_request: HttpRequest) -> HttpResponse:
        raise error

    return view


def touching(request: HttpRequest) -> HttpResponse:
    request.session["touched"] = True
    return HttpResponse("done")


handler400 = "totalizator.core.problem.answer_bad_request"
handler500 = "totalizator.core.faults.answer_fault"
urlpatterns = [
    path(f"{where}{name}", failing(error))
    for where in ("", "api/")
    for name, error in {
        "away": OperationalError("connection refused"),
        "cut": InterfaceError("connection already closed"),
        "standby": made_a_standby(),
        "internal": InternalError("something else"),
        "fault": ZeroDivisionError("division by zero"),
    }.items()
] + [path("touched", touching), path("api/touched", touching), path("out", touching, name="account_logout")]


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("name", "status"), [("away", 503), ("cut", 503), ("standby", 503), ("internal", 500), ("fault", 500)]
)
def test_a_page_says_so_in_words(name: str, status: int) -> None:
    answer = Client(raise_request_exception=False).get(f"/{name}")
    assert answer.status_code == status
    assert answer.headers.get("Retry-After") == ("2" if status == 503 else None)
    assert "<h1>" in answer.content.decode()
    assert "Traceback" not in answer.content.decode()
    assert "connection" not in answer.content.decode()


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("away", 503, "busy"), ("cut", 503, "busy"), ("standby", 503, "busy"), ("fault", 500, "fault")],
)
def test_the_api_says_so_in_a_problem_document(name: str, status: int, code: str) -> None:
    answer = Client(raise_request_exception=False).get(f"/api/{name}")
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["code"] == code


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("address", ["/touched", "/api/touched"])
def test_a_session_that_the_database_could_not_write_is_a_503(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("somebody"))
    monkeypatch.setattr(Session, "save", failing_save)
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
def test_a_session_that_was_ended_meanwhile_is_a_bad_request(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    client.cookies[settings.SESSION_COOKIE_NAME] = "0" * 32
    monkeypatch.setattr(SessionStore, "load", lambda _session: {"was": "here"})
    answer = client.get("/api/touched")
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert json.loads(answer.content)["code"] == "parse_error"


def failing_save(*_words: object, **_options: object) -> None:
    raise OperationalError("terminating connection due to administrator command")

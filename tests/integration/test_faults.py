"""What is answered when the system itself fails: 503 while the database is away, 500 for a fault; no traceback."""

import json
from collections.abc import Callable

import pytest
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from psycopg.errors import ReadOnlySqlTransaction


def made_a_standby() -> InternalError:
    """What Django raises when the server that a connection leads to takes no writes any more."""
    fault = InternalError("cannot execute INSERT in a read-only transaction")
    fault.__cause__ = ReadOnlySqlTransaction()
    return fault


def failing(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(_request: HttpRequest) -> HttpResponse:
        raise error

    return view


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
]


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

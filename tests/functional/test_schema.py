"""Requests made up from the schema itself: no fault of ours, and every answer as documented."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
import schemathesis
from django.conf import settings as settings_of_django
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from accounts.models import User, Withdrawal
from accounts.services.api_tokens import create_token
from tests.carding import bought
from tests.desks import make_terminal
from tests.making import make_organizers, make_player, make_pool, make_till
from tests.signing import signing
from tests.topping_up import named_bank
from totalizator.core.api.schema import METHODS, schema

EXAMPLES = 5  # of each operation, as the schema wants them, and as many as it does not
# A request that is well formed may still be refused: the pool is closed, there is no such ticket.
NOT_PROMISED = [positive_data_acceptance]
ASKERS = ("anybody", "player", "cashier", "staff", "terminal")
OF_CASHIERS = ("till", "cards", "tickets", "paper/forms", "desk-checks")
OF_STAFF = ("staff/", "players", "handovers", "cards/shipments", "paper/registers", "paper/forms/{number}")


def asker_of(path: str, method: str) -> str:
    """Who may ask for it."""
    operation = schema()["paths"][path][method]
    if {} in operation.get("security", [{}]):
        return "anybody"
    if path.startswith("/api/v1/terminal/"):
        return "terminal"
    about = path.removeprefix("/api/v1/")
    if about.startswith((*OF_STAFF, "reports", "inspection/")):
        return "staff"
    return "cashier" if about.startswith(OF_CASHIERS) else "player"


@pytest.fixture
def _one_connection(db: None) -> Iterator[None]:
    """Keep requests in the test's transaction, as Django's own test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("asker", ASKERS)
def test_every_answer_is_as_documented(asker: str, settings: Any) -> None:
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000/min")
    pool, till = make_pool(), make_till(cash=10_000)
    people: dict[str, User | None] = {"player": make_player(100_000), "cashier": till.cashier}
    application: Any = get_wsgi_application()
    headers: dict[str, str] = {}
    if asker == "terminal":
        application = signing(application, make_terminal(till))
    person = people.get(asker)
    if asker == "staff":
        headers = session_of(make_organizers()[0])
        application = with_cookies(application, headers.pop("Cookie"))
    elif person is not None:
        headers = {"Authorization": f"Bearer {create_token(user=person, name='schema').text}"}
    document = schemathesis.openapi.from_dict(without_ways_in())
    document.app = application
    asked: dict[str, int] = {}
    for found in document.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if asker_of(operation.path, operation.method) == asker:
            path = {"code": pool.code} if "{code}" in operation.path else {}
            asked[operation.label] = ask(operation, headers, path)
    assert asked
    assert [label for label, cases in asked.items() if not cases] == []


@pytest.mark.usefixtures("_one_connection")
def test_what_is_accepted_is_as_documented() -> None:
    """Money out needs a browser that has just shown who asks, a card its own code: no made-up request has either."""
    pool, (card,), player = make_pool(), bought(make_till()), make_player(100_000)
    named_bank(player)
    browser = Client()
    browser.force_login(player)
    assert browser.post("/account/reauthenticate/", {"password": "correct horse battery"}).status_code == 302
    for signal in (request_started, request_finished):  # Django's test client has connected it again
        signal.disconnect(close_old_connections)
    printed = {"series": card.series, "number": card.number, "code": card.code}
    by_card = {"selections": "1;X;2", "stake": "1.00", "card": printed}
    accepted: list[tuple[str, dict[str, str], dict[str, Any], dict[str, str]]] = [
        ("/api/v1/me/withdrawals", {}, {"amount": "1.00"}, headers_of(browser)),
        ("/api/v1/pools/{code}/card-bets", {"code": pool.code}, by_card, {}),
    ]
    for path, parameters, body, headers in accepted:
        document = schemathesis.openapi.from_dict(without_ways_in())
        document.app = with_cookies(get_wsgi_application(), headers.pop("Cookie", ""))
        case = document[path]["POST"].Case(path_parameters=parameters, body=body, media_type="application/json")
        answers = [case.call_and_validate(headers={**headers, "Idempotency-Key": "once"}) for _ in range(2)]
        assert answers[0].status_code == 201, path
        assert answers[0].json() == answers[1].json()
        assert ask(document[path]["POST"], headers, parameters)  # of which some are accepted too
    assert (Withdrawal.objects.filter(amount=100).order_by("pk")[0].state, card.money) == ("approved", 900)


def with_cookies(application: Any, cookies: str) -> Any:
    """The application as a browser with these cookies asks it: the caller's own client drops a header of that name."""

    def ask_with_cookies(environ: dict[str, Any], start: Any) -> Any:
        return application({**environ, "HTTP_COOKIE": cookies, "REMOTE_ADDR": "192.0.2.1"}, start)

    return ask_with_cookies


def session_of(person: User) -> dict[str, str]:
    """The headers of a browser in which the person is logged in."""
    client = Client()
    client.force_login(person)
    return headers_of(client)


def headers_of(client: Client) -> dict[str, str]:
    """The headers that a logged in browser sends."""
    mark = "a" * 32
    cookie = f"{settings_of_django.SESSION_COOKIE_NAME}={client.session.session_key}"
    return {"Cookie": f"{cookie}; {settings_of_django.CSRF_COOKIE_NAME}={mark}", "X-CSRFToken": mark}


def ask(operation: Any, headers: dict[str, str], path: dict[str, str]) -> int:
    """Send cases that fit the schema and cases that do not; return how many."""
    asked = 0
    for mode in GenerationMode:

        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(case=operation.as_strategy(generation_mode=mode, path_parameters=path or None))
        def send(case: Any) -> None:
            nonlocal asked
            asked += 1
            case.call_and_validate(headers=headers, excluded_checks=NOT_PROMISED)

        with suppress(Unsatisfiable):  # an operation of which every request fits
            send()
    return asked


def without_ways_in() -> dict[str, Any]:
    """The schema as who has come in sees it: nothing to be made up about who asks."""
    document = deepcopy(dict(schema()))
    del document["components"]["securitySchemes"]
    for methods in document["paths"].values():
        for operation in methods.values():
            operation.pop("security", None)
    return document


def test_every_operation_is_told_with_its_refusals() -> None:
    for path, methods in schema()["paths"].items():
        for method in methods:
            assert method in METHODS
            told = methods[method]
            assert told["summary"]
            assert told["tags"], path
            for status, answer in told["responses"].items():
                if status >= "400":
                    (content,) = answer["content"].items()
                    assert content[0] == "application/problem+json"
                    assert content[1]["schema"]["properties"]["code"]["enum"]

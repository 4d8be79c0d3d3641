"""What every answer carries, whichever layer gives it: pages, static files, documents, refusals, faults (ASVS V3.4)."""

from typing import Any

import pytest
from django.test import Client, override_settings

from accounts.models import Role
from tests.functional.browsing import visitor
from tests.functional.page_policy import POLICY
from tests.making import bet_from_account, make_player, make_pool, make_user
from tests.settling import settle

pytestmark = pytest.mark.django_db
FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def missing(answer: Any) -> set[str]:
    policy = {part.strip() for part in answer.headers.get("Content-Security-Policy", "").split(";")}
    lacking = {name for name, value in FIXED.items() if answer.headers.get(name) != value}
    lacking |= {"Permissions-Policy"} - set(answer.headers)
    return lacking | (policy ^ POLICY - {""})


def test_every_kind_of_answer_carries_them() -> None:
    pool, player = make_pool(), make_player(1_000)
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    settle(pool, "1;X;2")
    organizer = make_user(Role.ORGANIZER)
    nobody, own, staff = visitor(), visitor(player), visitor(organizer)
    answers = {
        "page": nobody.get("/"),
        "own page": own.get(f"/my/bets/{ticket}/"),
        "document": own.get("/my/statement/pdf/?first=2026-01-01&last=2026-01-31"),
        "protocol": nobody.get(f"/pools/{pool.code}/protocol.pdf"),
        "bundle": nobody.get(f"/pools/{pool.code}/bundle.zip"),
        "engine": nobody.get("/engine.zip"),
        "tables of the database": staff.get("/desk/reference/"),
        "API": nobody.get("/api/v1/pools"),
        "schema": nobody.get("/api/v1/schema/"),
        "API, nothing there": nobody.get("/api/v1/nothing"),
        "API, not logged in": nobody.get("/api/v1/me"),
        "nothing there": nobody.get("/nothing/"),
        "no right": own.get("/desk/"),
        "to log in": nobody.get("/my/"),
        "method": nobody.generic("TRACE", "/"),
        "method of a page": nobody.post("/check/nothing/"),
        "too large": nobody.post("/account/login/", CONTENT_LENGTH=str(1 << 40)),
        "forged form": Client(enforce_csrf_checks=True).post("/account/login/", {}),
        "host": nobody.get("/", HTTP_HOST="evil.example"),
    }
    assert {name: missing(answer) for name, answer in answers.items() if missing(answer)} == {}
    statuses = {name: answer.status_code for name, answer in answers.items()}
    assert statuses["page"] == statuses["own page"] == statuses["tables of the database"] == 200
    assert (statuses["no right"], statuses["method"], statuses["too large"], statuses["host"]) == (403, 405, 413, 400)
    assert statuses["forged form"] == 403


def test_a_fault_of_ours_carries_them_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a secret of the program")

    monkeypatch.setattr("payouts.views.home.render", fail)
    client = Client(raise_request_exception=False)
    for path in ("/",):
        answer = client.get(path)
        assert (answer.status_code, missing(answer)) == (500, set())
        assert "secret" not in answer.content.decode()
        assert "Traceback" not in answer.content.decode()


def test_static_files_carry_them() -> None:
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import RequestFactory

    with override_settings(WHITENOISE_USE_FINDERS=True, WHITENOISE_AUTOREFRESH=True, DEBUG=False):
        handler = WSGIHandler()
        request = RequestFactory().get("/static/css/tokens.css")
        answer = handler.get_response(request)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, "text/css")
    assert missing(answer) == set()


def test_what_redirects_to_https_carries_them_and_https_says_so_for_a_year_and_all_subdomains() -> None:
    over_https = override_settings(
        SECURE_SSL_REDIRECT=True, SECURE_HSTS_SECONDS=31_536_000, SECURE_HSTS_INCLUDE_SUBDOMAINS=True
    )
    with over_https:
        answer = Client().get("/")
        assert (answer.status_code, answer["Location"], missing(answer)) == (301, "https://testserver/", set())
        wrong = Client().get("/", HTTP_HOST="evil.example")
        assert (wrong.status_code, missing(wrong)) == (400, set())
        for path in ("/", "/api/v1/pools", "/nothing/"):
            answer = Client().get(path, secure=True)
            assert answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains", path


def test_no_other_site_is_let_in_by_cors() -> None:
    for path in ("/", "/api/v1/pools", "/api/v1/me"):
        answer = Client().get(path, headers={"Origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path

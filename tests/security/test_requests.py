"""What a request may not do: forge a form, lead elsewhere, speak for a proxy, be too large; what cookies are like."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import _get_new_csrf_string
from django.test import Client, RequestFactory, override_settings
from django.utils import translation

from accounts.models import Role
from payouts.models import Dispute, DisputeDocument
from tests.architecture.sources import python_files, tree
from tests.functional.browsing import text_of, visitor
from tests.making import bet_from_account, make_player, make_pool, make_user
from tests.refusals import every_row
from tests.security.routes import routes
from totalizator.core.client_address import OnlyTrustedProxies
from totalizator.core.refusal_log import _one_line

pytestmark = pytest.mark.django_db
ELSEWHERE = (
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://testserver@evil.example/",
    "\thttps://evil.example",
    "///evil.example",
)
MADE_UP = re.compile(r"<(\w+:)?\w+>")
WAYS_INTO_THE_API = {"TerminalSignature", "BearerToken", "SubscriberToken", "SessionAuthentication"}
TELLING = re.compile(
    r"ZipFile|gzip|bz2|lzma|tarfile|zlib|pickle|marshal|shelve|yaml|eval|exec\(|compile\(|os\.(system|popen)|Template|shell"
    r"|from_string|mark_safe|SafeString"
)
UNFORGED = re.compile(r"\^|\(\?P")


@cache
def calls_and_imports() -> list[tuple[Path, ast.Call | ast.Import | ast.ImportFrom]]:
    """Every call and import of the program, read once."""
    return [
        (path, node)
        for path in python_files("accounts", "pools", "payouts", "totalizator")
        if TELLING.search(path.read_text("utf-8"))  # parsing all of them would take long
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
    ]


def path_of(route: str) -> str:
    """An address that the route matches; allauth's patterns with keys in them are left to allauth."""
    return MADE_UP.sub("1", route)


def test_a_form_that_another_site_made_is_refused_at_every_address() -> None:
    """Every view is behind the one layer that asks for the mark, but those named here; some of each part are tried."""
    assert "django.middleware.csrf.CsrfViewMiddleware" in settings.MIDDLEWARE
    guarded = [route for route, view in routes() if not getattr(view, "csrf_exempt", False)]
    exempt = {route for route, view in routes() if getattr(view, "csrf_exempt", False)}
    assert {route for route in exempt if not route.startswith("/api/v1/")} == {
        "/payments/webhooks/<slug:provider>/",  # signed by the payment system
        "/pools/<label:code>/coupon/",  # reads a coupon back, tells a price: nothing is changed
        "/pools/<label:code>/quote/",
    }
    tried = [route for route in guarded if not UNFORGED.search(route) and not route.startswith("/desk/reference/")]
    assert len(tried) > 200
    forger = Client(enforce_csrf_checks=True)
    for route in tried[::12]:
        answer = forger.post(path_of(route), {}, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403, route


def test_a_session_alone_is_no_way_into_the_api_from_another_site() -> None:
    ways = {
        way.__name__
        for route, view in routes()
        if route.startswith("/api/v1/") and getattr(view, "csrf_exempt", False)
        for way in getattr(getattr(view, "cls", None), "authentication_classes", ())
    }
    # Of these SessionAuthentication alone takes a cookie, and asks for the mark itself.
    assert ways == WAYS_INTO_THE_API
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(make_user(Role.ORGANIZER))
    before, refused = every_row(), 0
    for route in [route for route, _view in routes() if route.startswith("/api/v1/")][::8]:
        answers = [client.post(path_of(route), b"{}", content_type="application/json") for client in (forger, Client())]
        if answers[1].status_code in (401, 403):  # else it is anybody's, as a quote is, and changes nothing
            # 415: so much of the body is read to look for the mark, and it is no form.
            assert answers[0].status_code in (401, 403, 415), (route, answers[0].status_code)
            refused += 1
    assert refused > 10
    assert every_row() == before


def test_no_next_leads_to_another_site() -> None:
    player = make_player()
    browser = visitor()
    for evil in ELSEWHERE:
        form = {"login": player.username, "password": "correct horse battery", "next": evil}
        answers = [
            browser.post("/account/login/", form),
            browser.post("/account/reauthenticate/", {"password": "correct horse battery", "next": evil}),
            browser.post("/appearance/", {"appearance": "dark", "next": evil}),
            browser.post("/i18n/setlang/", {"language": "be", "next": evil}),
            browser.post("/account/logout/", {"next": evil}),
            browser.get("/account/login/", {"next": evil}),
        ]
        for answer in answers:
            assert "evil" not in answer.headers.get("Location", ""), (evil, answer["Location"])
            assert not answer.headers.get("Location", "").startswith(("javascript:", "data:")), evil


def test_cookies_are_of_this_host_alone_and_out_of_reach_of_scripts() -> None:
    player = make_player()
    browser = visitor()
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True, LANGUAGE_COOKIE_SECURE=True):
        browser.get("/account/login/", secure=True)
        form = {"login": player.username, "password": "correct horse battery"}
        browser.post("/account/login/", form, secure=True)
        browser.post("/appearance/", {"appearance": "dark"}, secure=True)
        browser.post("/i18n/setlang/", {"language": "be"}, secure=True)
    names = {"sessionid", "csrftoken", "device", "appearance", "django_language"}
    assert names <= set(browser.cookies)
    for name in names:
        cookie = browser.cookies[name]
        assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax"), name
        assert (cookie["path"], cookie["domain"]) == ("/", ""), name
        assert len(name) + len(cookie.value) < 4096


def test_only_a_trusted_proxy_says_that_a_request_came_by_https() -> None:
    def scheme(address: str) -> bool:
        request = RequestFactory().get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_PROTO="https")
        seen: list[bool] = []

        def page(asked: HttpRequest) -> HttpResponse:
            seen.append(asked.is_secure())
            return HttpResponse()

        OnlyTrustedProxies(page)(request)
        return seen[0]

    with override_settings(
        SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"), TRUSTED_PROXIES=["10.1.2.0/24"]
    ):
        assert scheme("10.1.2.3")
        assert not scheme("192.0.2.7")


def test_a_request_that_is_too_large_is_refused_before_it_is_read() -> None:
    before = every_row()
    for said in ("25165825", "9" * 400, "-1", "1e3", "٣"):
        answer = Client().generic("POST", "/account/login/", b"", CONTENT_LENGTH=said)
        assert answer.status_code == 413, said
        answer = Client().generic("POST", "/api/v1/pools/X/bets", b"", CONTENT_LENGTH=said)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert "too large" in text_of(visitor().generic("POST", "/", b"", CONTENT_LENGTH="25165825"))
    assert every_row() == before


def test_who_sends_too_much_is_told_so_in_their_own_language_whoever_was_answered_before() -> None:
    with translation.override("be"):
        answer = Client(headers={"accept-language": "en"}).generic("POST", "/", b"", CONTENT_LENGTH="25165825")
    assert answer.status_code == 413
    assert "too large" in text_of(answer)


def test_a_form_of_too_many_fields_or_files_is_refused() -> None:
    browser = visitor(make_player())
    assert browser.post("/my/disputes/", {f"f{number}": "x" for number in range(1_001)}).status_code == 400
    files = {f"f{number}": SimpleUploadedFile("a", b"%PDF-") for number in range(5)}
    assert browser.post("/my/disputes/", files).status_code == 400


def test_a_file_is_what_its_first_bytes_are_whatever_it_is_called_and_goes_out_under_a_name_of_ours() -> None:
    player, other = make_player(1_000), make_player()
    ticket = bet_from_account(make_pool(), player, "1;X;2", 100).bet.ticket
    browser = visitor(player)
    form = {"ticket": ticket, "story": "Wrong."}
    for name, content in (
        ("scan.pdf", b"<html><script>alert(1)</script>"),
        ("scan.png", b"MZ\x90\x00"),
        ("scan.jpg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("bomb.zip", b"PK\x03\x04" + b"\x00" * 100),
        ("empty.pdf", b""),
        ("large.pdf", b"%PDF-" + b"0" * (10 * 1024 * 1024)),
    ):
        answer = browser.post("/my/disputes/", {**form, "file": SimpleUploadedFile(name, content)})
        assert (answer.status_code, Dispute.objects.count(), DisputeDocument.objects.count()) == (400, 0, 0), name
    evil = SimpleUploadedFile("../../../etc/x\r\nSet-Cookie: a=b.html", b"%PDF-1.7 <script>alert(1)</script>")
    assert browser.post("/my/disputes/", {**form, "file": evil}).status_code == 302
    document = DisputeDocument.objects.get()
    assert ".." not in str(document.file)
    assert str(document.file).endswith(".pdf")
    answer = browser.get(f"/my/disputes/{document.dispute_id}/documents/{document.pk}/")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"].startswith('attachment; filename="dispute-')
    assert "Set-Cookie" not in answer.headers
    assert visitor(other).get(f"/my/disputes/{document.dispute_id}/documents/{document.pk}/").status_code == 404


def test_nothing_that_is_sent_is_ever_unpacked() -> None:
    """Without an unpacker there is no bomb: only what this program itself has written is opened (ASVS V5.2.3)."""
    unpackers = {"gzip", "bz2", "lzma", "tarfile", "zlib", "pickle", "marshal", "shelve", "yaml"}
    for path, node in calls_and_imports():
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
            assert not names & unpackers, path
        elif ast.unparse(node.func).endswith("ZipFile"):
            modes = [ast.unparse(argument) for argument in node.args[1:2]]
            ours = path.name in ("archiving.py", "pool_archives.py") or "management/demo" in str(path)  # its own files
            assert modes == ["'w'"] or ours, path


def test_no_program_text_is_made_of_what_is_sent() -> None:
    """No eval, no shell, no template out of a text, no HTML that is marked as safe (ASVS V1.2, V1.3)."""
    made_of_text = ("eval", "exec", "compile", "os.system", "os.popen", "Template", "from_string")
    for path, node in calls_and_imports():
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in made_of_text, path
            assert not any(word.arg == "shell" for word in node.keywords), path
            if called in ("mark_safe", "SafeString"):  # a picture escaped part by part; a constant
                assert path.name in ("chart_svg.py", "parts.py"), path


def test_a_line_of_the_log_stays_one_line() -> None:
    assert _one_line("/a\r\nb\x1b[0m\u2028c") == "/a\\r\\nb\\x1b[0m\\u2028c"


def test_a_csrf_mark_of_another_visitor_is_none_of_mine() -> None:
    forger: Any = Client(enforce_csrf_checks=True)
    forger.cookies["csrftoken"] = _get_new_csrf_string()
    answer = forger.post("/account/login/", {"csrfmiddlewaretoken": _get_new_csrf_string()})
    assert answer.status_code == 403

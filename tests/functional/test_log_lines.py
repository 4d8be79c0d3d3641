"""The lines of the log: numbers that follow a request, and nothing that is somebody's own, a code or a password."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from celery import shared_task
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import Identity, Receipt, User
from payouts.tasks import book_due_payables
from pools.tasks import match_new_receipts
from tests.banking import OURS, PAYER, transfer
from tests.carding import bought
from tests.functional.browsing import visitor
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.settling import settle
from totalizator.core.enqueuing import sender
from totalizator.core.watching.context import about, speaking_of
from totalizator.core.watching.jobs import REQUEST
from totalizator.core.watching.lines import JsonLines, PlainLines
from totalizator.core.watching.secrets import without_secrets

PASSWORD, EMAIL, PHONE = "very-secret-Passw0rd", "anna.secret@example.by", "+375 29 123-45-67"
NAME, NUMBER = "Тайная Анна Петровна", "3010190A001PB5"


@contextmanager
def log(formatter: logging.Formatter | None = None) -> Iterator[io.StringIO]:
    """Everything that is logged in the block, by everybody, more than production would write."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(formatter or JsonLines())
    loggers = [logging.getLogger(name) for name in (None, "django", "celery", "totalizator.requests")]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.INFO)
    whole = [each for each in loggers if not each.propagate or each.name == "root"]
    for each in whole:
        each.addHandler(handler)
    try:
        yield text
    finally:
        for each in whole:
            each.removeHandler(handler)
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)


def lines_of(text: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.getvalue().splitlines()]


@shared_task(name="tests.says")
def says() -> None:
    logging.getLogger("tests").warning("something")


@pytest.mark.django_db
def test_a_request_has_a_number_which_its_lines_and_its_tasks_carry() -> None:
    pool = make_pool()
    with log() as text:
        answer = visitor().get(f"/pools/{pool.code}/", headers={"x-request-id": "a-number-of-theirs"})
    assert answer["X-Request-ID"] == "a-number-of-theirs"
    (line,) = [line for line in lines_of(text) if line["logger"] == "totalizator.requests"]
    assert (line["request"], line["pool"], line["view"], line["status"], line["level"]) == (
        "a-number-of-theirs", pool.code, "pools:pool", 200, "INFO",
    )  # fmt: skip
    assert about() == {}
    for odd in ("short", "with space and more", "x" * 65, "new\nline-in-it"):
        assert len(visitor().get("/", headers={"x-request-id": odd.replace("\n", "_")})["X-Request-ID"]) == 36
    assert visitor().get("/")["X-Request-ID"] != visitor().get("/")["X-Request-ID"]


@pytest.mark.django_db
def test_a_task_carries_the_number_of_the_request_that_asked_for_it() -> None:
    with sender().connection_for_write() as link, speaking_of(request="number-of-a-request"):
        queue = link.SimpleQueue("totalizator")
        queue.clear()
        sender().send_task("tests.says")
        message = queue.get(timeout=2)
        message.ack()
        queue.close()
    assert message.headers[REQUEST] == "number-of-a-request"
    with log() as text:
        says.apply(headers={REQUEST: "number-of-a-request"})
    (line,) = [line for line in lines_of(text) if line["logger"] == "tests"]
    assert (line["request"], line["job"], line["message"]) == ("number-of-a-request", "tests.says", "something")
    assert about() == {}


@pytest.mark.django_db
def test_who_is_logged_in_is_a_number() -> None:
    player, pool = make_player(), make_pool()
    with log() as text:
        visitor(player).get(f"/pools/{pool.code}/")
    (line,) = [line for line in lines_of(text) if line["logger"] == "totalizator.requests"]
    assert line["user"] == str(player.pk)
    assert player.username not in text.getvalue()


@shared_task(name="tests.pays")
def pays() -> None:
    raise ValueError(f"no transfer to {PAYER} of {NAME!r}, {PHONE}, passport MP1234567, number {NUMBER}")


@pytest.mark.django_db
def test_a_day_leaves_no_secret_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    with log() as text:
        the_desks_day()
        secrets = a_day_on_the_site(monkeypatch)
        pays.apply()
        refused_row()
    told = text.getvalue()
    assert len(lines_of(text)) > 20
    assert {"Not Found: /check/nowhere", "Forbidden"} <= {
        part for part in ("Not Found: /check/nowhere", "Forbidden") if part in told
    }
    assert [line for line in lines_of(text) if "fault" in line and "RuntimeError" in line["fault"]]
    secrets |= {identity.full_name for identity in Identity.objects.all() if len(identity.full_name) > 8}
    secrets |= {OURS, PAYER, PASSWORD, EMAIL, PHONE, NAME, NUMBER, "Иванова", "MP1234567"}
    assert Receipt.objects.exists()
    assert {secret for secret in secrets if secret in told} == set()


def the_desks_day() -> None:
    """Sell, settle, draw up what is owed; money comes that nobody knows what to do with."""
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    bet_in_cash(pool, till, "1", 100)
    settle(pool, "1")
    book_due_payables.apply()
    transfer(30, f"from {NAME}")
    match_new_receipts.apply()


def a_day_on_the_site(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Log in wrongly and rightly, bet, ask with codes where they do not belong; return what was secret in it."""
    pool, player = make_pool(), make_player(1_000)
    User.objects.filter(pk=player.pk).update(password=make_password(PASSWORD), email=EMAIL)
    browser = Client(headers={"accept-language": "en"})
    browser.post("/account/login/", {"login": player.username, "password": PASSWORD + "x"})
    browser.post("/account/login/", {"login": player.username, "password": PASSWORD})
    browser.post("/account/signup/", {"username": "new", "email": EMAIL, "password1": PASSWORD, "password2": PASSWORD})
    placed = bet_from_account(pool, player, "1;X;2", 100)
    code, ticket = placed.check_code, placed.bet.ticket
    asked = {"ticket": ticket, "check_code": code}
    browser.post("/check/", asked)
    browser.get("/check/", asked)
    browser.get("/check/nowhere", {**asked, "email": EMAIL, "password": PASSWORD})
    (card,) = bought(make_till(1_000))
    bet = {"selections": "1;X;2", "stake": "1.00"}
    held = {"series": card.series, "number": card.number, "code": card.code}
    for number, body in enumerate(
        ({**bet, "card": held}, {**bet, "card": {**held, "code": card.code[::-1]}}, "not JSON " + code)
    ):
        browser.post(
            f"/api/v1/pools/{pool.code}/card-bets",
            body if isinstance(body, str) else json.dumps(body),
            content_type="application/json",
            headers={"idempotency-key": f"card-{number}"},
        )
    browser.get("/api/v1/me", headers={"authorization": f"Bearer {card.code}"})
    Client(enforce_csrf_checks=True).post("/check/", asked)
    browser.get("/", headers={"host": f"{code}.example"})

    def broken(*_args: Any, **_told: Any) -> None:
        raise RuntimeError(f"cannot read check_code={code} of '{NAME}' <{EMAIL}>, card {card.code}, {PHONE}")

    monkeypatch.setattr("payouts.views.ticket_check.render", broken)
    browser.raise_request_exception = False
    assert browser.post("/check/", asked).status_code == 500
    session = browser.cookies["sessionid"].value
    return {code, card.code, "-".join((card.code[:5], card.code[5:10], card.code[10:])), session, player.username}


def refused_row() -> None:
    """Have the database refuse a row, with the row in its message."""
    try:
        with transaction.atomic():
            User.objects.create(username=NAME, email=EMAIL)
            User.objects.create(username=NAME, email=EMAIL)
    except IntegrityError:
        logging.getLogger("tests").exception("this could not be done")


def test_the_same_lines_without_the_formatter_would_tell_everything() -> None:
    with log(logging.Formatter("%(message)s")) as text:
        pays.apply()
    assert [secret for secret in (PAYER, PHONE, NAME, NUMBER) if secret not in text.getvalue()] == []


@pytest.mark.parametrize("formatter", [JsonLines(), PlainLines()])
def test_what_a_line_may_not_hold(formatter: logging.Formatter) -> None:
    for secret, said in {
        "7K3M9QX2RA4D5F": "code 7K3M9QX2RA4D5F of the ticket",
        "ABCDE-FGHJK-MN2Q": "card ABCDE-FGHJK-MN2Q",
        "hunter2": "{'username': 'x', 'password': 'hunter2'}",
        "eyJhbGciOi": "Authorization: Bearer eyJhbGciOi.x-y_z",
        "s3cret": "connect to postgresql://totalizator:s3cret@db/x",
        "BY17 ALFA 3014": "to BY17 ALFA 3014 0000 0000 0000 0042",
        "by17alfa3014": "to by17alfa30140000000000000042 today",
        "(29) 123": "call +375 (29) 123-45-67",
        "x=1": "GET /check/?ticket=x=1&check_code=2",
        "Павел": "no till for Кот Павел",
        "Ольга": "Person matching query 'Ольга' does not exist",
        "Петров": "insert: duplicate key\nDETAIL:  Failing row contains (1, Петров).",
        "Сидоров": 'invalid input syntax for type integer: "Сидоров"',
    }.items():
        record = logging.LogRecord("x", logging.ERROR, "", 0, said, None, None)
        assert secret not in formatter.format(record), said


def test_what_people_need_to_find_the_cause_stays() -> None:
    for said in (
        "settle_pool_failed pool:2411-1: DomainError: The two computations differ",
        "bet 2411-1-7K3M9QX2RA, user:17, till:4, withdrawal W-12",
        'duplicate key value violates unique constraint "core_comparison_once"',
        "The journal is broken: seal 17 at 2026-11-30T17:00:00Z, sha256:" + "ab12" * 16,
        "pools.services.settling line 120 in settle_pool took 12.5 s of 20261130170000",
        "Why not? Because.",
        "DomainError: Система занята, повторите попытку.",
    ):
        assert without_secrets(said) == said

"""Ten wrong tries in a minute, then waiting: by subject, counted in the database, whatever headers say (C61)."""

from datetime import timedelta
from ipaddress import ip_address

import pytest
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path
from rest_framework.response import Response

from accounts.services.card_numbers import ALPHABET as CARD_LETTERS
from accounts.services.card_numbers import CODE_LENGTH as CARD_CODE
from pools.services.tickets import ALPHABET as TICKET_LETTERS
from pools.services.tickets import CODE_LENGTH as CHECK_CODE
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.client_address import client_address
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import FailedTry, JournalRecord
from totalizator.core.problem import api_exception_handler
from totalizator.core.throttle import FAILURES_ALLOWED, WINDOW, network_subject, note_failure, refuse_when_throttled

pytestmark = pytest.mark.django_db


def fail(*subjects: str, times: int = 1) -> None:
    for _ in range(times):
        note_failure(subjects, clock.now(), act="refuse_card", actor="till:3")


def allowed(*subjects: str) -> bool:
    try:
        refuse_when_throttled(subjects, clock.now())
    except DomainError:
        return False
    return True


def test_c61_the_eleventh_failure_in_a_minute_is_not_even_judged() -> None:
    fail("till:3", times=FAILURES_ALLOWED - 1)
    assert allowed("till:3")
    fail("till:3")
    refusal = refused(lambda: refuse_when_throttled(["till:3"], clock.now()))
    assert (FAILURES_ALLOWED, refusal.code, refusal.http_status) == (10, Refusal.THROTTLED, 429)
    assert 1 <= refusal.details["retry_after"] <= 60
    assert not allowed("till:3")  # a refused try is no failure, and does not end the waiting either


def test_one_subject_of_a_try_is_enough_and_others_go_on() -> None:
    fail("card:AB:1", "till:3", "network:192.0.2.7", times=FAILURES_ALLOWED)
    assert not allowed("card:AB:2", "till:4", "network:192.0.2.7")
    assert not allowed("card:AB:1", "till:4")
    assert allowed("card:AB:2", "till:4", "network:192.0.2.8")


def test_a_minute_later_it_is_judged_again_and_old_failures_are_dropped() -> None:
    fail("user:7", times=FAILURES_ALLOWED)
    clock.move_clock(WINDOW)
    assert allowed("user:7")
    fail("user:7")
    assert FailedTry.objects.filter(subject="user:7").count() == 1


def test_failures_spread_over_more_than_a_minute_do_not_add_up() -> None:
    for _ in range(2 * FAILURES_ALLOWED):
        clock.move_clock(timedelta(seconds=7))
        assert allowed("user:7")
        fail("user:7")


def test_a_failure_is_journalled_for_good() -> None:
    fail("card:AB:1", "till:3")
    record = JournalRecord.objects.get(act="refuse_card")
    assert (record.actor, record.subject) == ("till:3", "card:AB:1")
    assert record.after == {"failed_for": ["card:AB:1", "till:3"]}


@pytest.mark.django_db(transaction=True)
def test_a_failure_cannot_be_noted_where_the_refusal_would_undo_it() -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        fail("till:3")
    fail("till:3")
    assert FailedTry.objects.count() == 1


@pytest.mark.parametrize("letters", [(CARD_LETTERS, CARD_CODE), (TICKET_LETTERS, CHECK_CODE)], ids=["card", "ticket"])
def test_r5_a_year_of_guessing_at_the_allowed_rate_opens_nothing(letters: tuple[str, int]) -> None:
    alphabet, length = letters
    guesses = FAILURES_ALLOWED * (timedelta(days=366) // WINDOW)
    codes = len(set(alphabet)) ** length
    assert codes >= 2**64
    assert guesses * 10**9 < codes


@pytest.mark.parametrize(
    ("address", "subject"),
    [
        ("192.0.2.7", "network:192.0.2.7"),
        ("::ffff:192.0.2.7", "network:192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "network:2001:db8:1:2::"),
        ("", "network:"),
    ],
)
def test_a_network_is_the_connections_own_address(address: str, subject: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_FOR="198.51.100.9")
    assert network_subject(request) == subject


NET, FORGED = "203.0.113.0/24", "198.51.100.9, "


@pytest.mark.parametrize(
    ("trusted", "connection", "told", "address"),
    [
        ([], "192.0.2.7", "198.51.100.9", "192.0.2.7"),
        ([NET], "192.0.2.7", "198.51.100.9", "192.0.2.7"),
        ([NET], "203.0.113.5", FORGED + "192.0.2.7", "192.0.2.7"),
        ([NET], "::ffff:203.0.113.5", FORGED + "192.0.2.7,203.0.113.9", "192.0.2.7"),
        ([NET], "203.0.113.5", "", "203.0.113.5"),
        ([NET], "203.0.113.5", "203.0.113.6", "203.0.113.6"),
        ([NET], "203.0.113.5", FORGED + "unknown", "203.0.113.5"),
        ([NET], "", "192.0.2.7", None),
        (["unix"], "", FORGED + "192.0.2.7", "192.0.2.7"),
        (["unix"], "", FORGED + "2001:db8::1", "2001:db8::1"),
        (["unix"], "", "", None),
        (["unix"], "192.0.2.7", "198.51.100.9", "192.0.2.7"),
        (["unix", NET], "", FORGED + "192.0.2.7, 203.0.113.5", "192.0.2.7"),
    ],
)
def test_only_a_trusted_proxy_is_believed_and_only_what_it_wrote_itself(
    trusted: list[str], connection: str, told: str, address: str | None
) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=connection, HTTP_X_FORWARDED_FOR=told)
    with override_settings(TRUSTED_PROXIES=trusted):
        assert client_address(request) == (ip_address(address) if address is not None else None)


def guess(request: HttpRequest) -> HttpResponse:
    """A page where every guess is wrong."""
    subjects = [network_subject(request)]
    try:
        refuse_when_throttled(subjects, clock.now())
    except DomainError as refusal:
        answer = api_exception_handler(refusal, {})
        assert isinstance(answer, Response)
        return JsonResponse(answer.data, status=answer.status_code, headers={"Retry-After": answer["Retry-After"]})
    note_failure(subjects, clock.now(), act="guess", actor="anybody")
    return JsonResponse({}, status=400)


urlpatterns = [path("guess", guess)]


@pytest.mark.urls(__name__)
def test_c61_a_changing_x_forwarded_for_changes_nothing() -> None:
    client = Client()
    answers = [client.get("/guess", HTTP_X_FORWARDED_FOR=f"10.0.0.{number}") for number in range(12)]
    assert [answer.status_code for answer in answers] == [400] * 10 + [429] * 2
    assert answers[-1].json()["code"] == "throttled"
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60

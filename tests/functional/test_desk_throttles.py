"""Codes cannot be guessed from a desk either, and nobody elsewhere keeps a desk from paying (C61, D-13)."""

from typing import Any

import pytest

from accounts.models import Role
from payouts.apps import refuse_fake_gateway
from payouts.models import Dispute, TicketClaim
from tests.claiming import won
from tests.functional.calling import Caller, told
from tests.making import make_till, make_user
from tests.noticing import FAKE
from tests.paying import go_to, payable_from

pytestmark = pytest.mark.django_db

SHOWN = {
    "identity_number": "CLAIM00001",
    "birth_date": "1990-05-31",
    "full_name": "Янка Купала",
    "document": "MP1234567",
}
WRONG = "AAAAAAAAAAAAAA"
CHECKS: dict[str, dict[str, Any]] = {
    "tickets/claims": {"mishap": "lost", "story": "Lost", "shown": SHOWN},
    "tickets/disputes": {"story": "It won more"},
    "tickets/comparisons": {"selections": "1", "stake": "1.00"},
    "tickets/{ticket}/payments": {},
    "tickets/{ticket}/large-payments": {"shown": SHOWN},
    "tickets/{ticket}/cash-wish": {"document": "Paper 1"},
}


@pytest.mark.parametrize("path", CHECKS)
def test_c61_the_eleventh_wrong_code_at_a_desk_is_not_even_judged(path: str) -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    other_pool, other = won(till)
    go_to(max(payable_from(pool), payable_from(other_pool)))
    desk, colleague = Caller(till.cashier), Caller(make_till(1_000).cashier)

    def ask(caller: Caller, ticket: str, code: str) -> Any:
        body = {**CHECKS[path], "check_code": code}
        where = path.replace("{ticket}", ticket)
        return caller.post(where, body if where != path else {**body, "ticket": ticket})

    for _time in range(10):
        assert told(ask(desk, slip.bet.ticket, WRONG)) == (400, "wrong_code")
    before = (TicketClaim.objects.count(), Dispute.objects.count())
    for who, ticket in ((desk, slip), (desk, other), (colleague, slip)):
        answer = ask(who, ticket.bet.ticket, ticket.check_code)
        assert told(answer) == (429, "throttled")
        assert 0 < int(answer["Retry-After"]) <= 60
    assert (TicketClaim.objects.count(), Dispute.objects.count()) == before
    answer = ask(colleague, other.bet.ticket, other.check_code)  # another desk, another ticket
    assert answer.status_code < 300 or told(answer)[1] in ("not_allowed", "wrong_state")


def test_what_is_guessed_elsewhere_keeps_no_till_from_paying() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    nobody = Caller()
    for _time in range(10):
        nobody.post("tickets/check", {"ticket": slip.bet.ticket, "check_code": WRONG}, key=None)
    check = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    assert told(nobody.post("tickets/check", check, key=None)) == (429, "throttled")
    paid = Caller(till.cashier).post(f"tickets/{slip.bet.ticket}/payments", {"check_code": slip.check_code})
    assert paid.status_code == 201


def test_the_staff_are_counted_too() -> None:
    _pool, slip = won(make_till())
    staff = Caller(make_user(Role.ORGANIZER))
    body = {"ticket": slip.bet.ticket, "check_code": WRONG, "story": "x"}
    answers = [told(staff.post("tickets/disputes", body, key=None)) for _time in range(11)]
    assert answers == [(400, "wrong_code")] * 10 + [(429, "throttled")]


def test_production_does_not_start_with_a_gateway_that_sends_nothing(settings: Any) -> None:
    settings.SMS_GATEWAY = FAKE
    assert refuse_fake_gateway(None) == []
    settings.PRODUCTION = True
    assert [error.id for error in refuse_fake_gateway(None)] == ["payouts.E001"]
    settings.SMS_GATEWAY = "payouts.services.no_such.Gateway"
    assert [error.id for error in refuse_fake_gateway(None)] == ["payouts.E002"]
    settings.SMS_GATEWAY = "payouts.services.text_messages.MessageGateway"
    assert refuse_fake_gateway(None) == []
    settings.SMS_GATEWAY = ""
    assert refuse_fake_gateway(None) == []

"""Two clicks on the desk's forms at the same moment: one ticket, one payment (C36, C5)."""

from functools import partial
from typing import Any

import pytest

from payouts.models import Payment
from pools.models import Bet
from pools.services.printed_tickets import qr_text
from tests.concurrency.racing import race
from tests.desks import cash_in
from tests.functional.browsing import text_of, visitor
from tests.functional.test_desk_keyboard import Keyboard
from tests.functional.test_desk_scans import ready
from tests.making import make_pool, make_till

pytestmark = pytest.mark.django_db(transaction=True)


def test_c36_two_enters_at_the_same_moment_are_one_ticket_and_both_are_told() -> None:
    pool, till = make_pool(), make_till()
    clients = [visitor(till.cashier) for _time in range(2)]
    form = {"pool": pool.code, "selections": "1;X;2", "stake": "1.00", "token": "t" * 32, "given": "5"}
    answers: list[Any] = race([partial(client.post, "/till/sell/", form) for client in clients])
    bet = Bet.objects.get()
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    assert all(f"ACCEPTED {bet.ticket}" in text_of(answer) for answer in answers)
    assert cash_in(till) == 100


def test_a_ticket_is_paid_once_by_two_enters_and_its_change_of_standing_is_noted_once() -> None:
    till = make_till(1_000)
    slip = ready(till)
    clients = [visitor(till.cashier) for _time in range(2)]
    form = {"ticket": slip.bet.ticket, "check_code": slip.check_code, "token": "t" * 32}
    answers: list[Any] = race([partial(client.post, "/till/pay/", form) for client in clients])
    assert [answer.status_code for answer in answers] == [200, 200]
    assert Payment.objects.count() == 1
    assert cash_in(till) == 1_000 + 200 - 66
    assert "PAID: BYN 0.66" in text_of(Keyboard(till).types(qr_text(slip.bet, slip.check_code)).answer)

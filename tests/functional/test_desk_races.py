"""Two clicks on the desk's forms at the same moment: one ticket, one payment (C36, C5)."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from payouts.models import Payment
from pools.models import Bet
from pools.services.printed_tickets import qr_text
from tests.carding import bought
from tests.concurrency.racing import race
from tests.desks import cash_in
from tests.functional.browsing import text_of, visitor
from tests.functional.test_coupon_paying import money_of, pay, payment, read_back
from tests.functional.test_desk_keyboard import Keyboard
from tests.functional.test_desk_scans import ready
from tests.making import make_player, make_pool, make_till
from tests.paying import broken

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


ONE_OF_TWO = ([201, 409], [201, 503])
"""One is sold; the other is refused, or told that it waited too long on a machine that is busy."""


def two_windows(person: User | None) -> list[Client]:
    """Two windows of one browser."""
    one, other = visitor(person), Client(headers={"accept-language": "en"})
    other.cookies = one.cookies
    return [one, other]


def test_c36_one_form_sent_by_card_and_from_the_account_at_once_is_one_ticket() -> None:
    pool, till = make_pool(), make_till(10_000)
    for card in bought(till, 2):
        player = make_player(1_000)
        windows = two_windows(player)
        form = payment(read_back(windows[0], pool))
        before = Bet.objects.count()
        answers: list[Any] = race([partial(pay, windows[0], pool, form, card), partial(pay, windows[1], pool, form)])
        assert sorted(answer.status_code for answer in answers) in ONE_OF_TWO, [text_of(answer) for answer in answers]
        assert (Bet.objects.count() - before, money_of(player) + card.money) == (1, 1_800)
    assert broken() == []


def test_c36_one_form_at_a_till_is_not_paid_in_cash_and_by_card_at_once() -> None:
    pool, till = make_pool(), make_till(10_000)
    (card,) = bought(till)
    windows, cash = two_windows(till.cashier), cash_in(till)
    form = {"pool": pool.code, "selections": "1;X;2", "stake": "1.00", "token": "t" * 32, "given": "5"}
    by_card = form | {"by_card": "1", "series": card.series, "number": card.number, "code": card.code}
    sent = zip(windows, (form, by_card), strict=True)
    answers: list[Any] = race([partial(window.post, "/till/sell/", each) for window, each in sent])
    assert sorted(answer.status_code for answer in answers) in ONE_OF_TWO, [text_of(answer) for answer in answers]
    assert (Bet.objects.count(), cash_in(till) - cash + 1_000 - card.money) == (1, 100)
    assert broken() == []

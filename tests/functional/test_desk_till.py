"""Paying a ticket at the till: checked first, paid once, the till's own clock (C5, C58, ¶13)."""

from datetime import timedelta

import pytest

from accounts.ledger.balances import balance
from accounts.models import Till
from payouts.models import Payment
from payouts.services.booking import book_payables
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_in_cash, make_pool, make_till
from tests.paying import go_to, payable_from
from tests.settling import sell, settle

pytestmark = pytest.mark.django_db


def won(till: Till) -> tuple[Pool, PlacedBet]:
    """A booked pool of which the slip won 7.00; payable from the next day."""
    pool = make_pool("sportloto-variant")
    slip = bet_in_cash(pool, till, "1", 100)
    sell(pool, *[("X", 100)] * 9)
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool, slip


def test_a_ticket_is_checked_then_paid_once() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    client = visitor(till.cashier)
    form = {"ticket": slip.bet.ticket.lower(), "check_code": slip.check_code}
    early = client.post("/till/check/", form)
    assert "Won; not payable yet: BYN 7.00" in text_of(early)
    assert "Pay in cash" not in text_of(early)
    go_to(payable_from(pool))
    client = visitor(till.cashier)  # the log-in of that day has ended
    checked = client.post("/till/check/", form)
    assert "To be paid: BYN 7.00" in text_of(checked)
    payment = {name: hidden(checked, name) for name in ("ticket", "check_code", "token")}
    answers = [client.post("/till/pay/", payment) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert all("Hand out BYN 6.65" in text_of(answer) for answer in answers)
    assert ["hand out nothing more" in text_of(answer) for answer in answers] == [False, True]
    assert Payment.objects.count() == 1
    assert balance(till.ledger_account) == 1_000 + 100 - 665
    assert "Pay in cash" not in text_of(client.post("/till/check/", form))


def test_c58_another_till_is_told_where_and_when_it_was_paid() -> None:
    first, second = make_till(1_000), make_till(1_000, time_zone="Asia/Yekaterinburg")
    pool, slip = won(first)
    go_to(payable_from(pool) + timedelta(hours=14, minutes=3))
    form = {"ticket": slip.bet.ticket, "check_code": slip.check_code, "token": "t" * 32}
    assert visitor(first.cashier).post("/till/pay/", form).status_code == 200
    answer = visitor(second.cashier).post("/till/pay/", form)
    assert answer.status_code == 409
    assert 'action="/till/field/"' in answer.content.decode()  # it is the desk, ready for the next ticket
    assert f"It was paid at till {first}, " in text_of(answer)
    assert "14:03" in text_of(answer)
    assert balance(second.ledger_account) == 1_000


def test_a_wrong_code_is_refused_beside_its_field() -> None:
    till = make_till(1_000)
    _pool, slip = won(till)
    answer = visitor(till.cashier).post("/till/check/", {"ticket": slip.bet.ticket, "check_code": "A" * 14})
    assert answer.status_code == 400
    assert "There is no ticket with this number and check code." in text_of(answer)


def test_a_payment_over_the_api() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    client = visitor(till.cashier)
    path = f"/api/v1/tickets/{slip.bet.ticket}/payments"

    def post(code: str, key: str) -> tuple[int, dict[str, object]]:
        answer = client.post(
            path, {"check_code": code}, headers={"Idempotency-Key": key}, content_type="application/json"
        )
        return answer.status_code, answer.json()

    assert post("wrong", "k0")[1]["code"] == "wrong_code"
    status, body = post(slip.check_code, "k1")
    assert (status, body["gross"], body["tax"], body["net"]) == (201, "7.00", "0.35", "6.65")
    assert post(slip.check_code, "k1")[1] == body
    assert post(slip.check_code, "k2")[1]["code"] == "already_paid"
    assert Payment.objects.count() == 1
    assert visitor().post(path, {}, content_type="application/json").json()["code"] == "not_logged_in"

"""A large sum in cash at a desk: the page asks for a document, and only then (Q1)."""

from typing import Any

import pytest

from accounts.ledger.balances import balance
from accounts.models import IdentifiedOperation
from payouts.models import Payment
from payouts.services.booking import book_payables
from pools.models import Bet
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_in_cash, make_pool, make_till, somebody
from tests.paying import go_to, payable_from
from tests.settling import settle

pytestmark = pytest.mark.django_db
ASKED = "From BYN 1,000.00 in cash on, a document must be shown."
ADULT = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}


def asks(answer: Any) -> bool:
    return 'name="identity_number"' in answer.content.decode()


def test_a_large_bet_is_sold_once_the_player_is_named() -> None:
    pool, till = make_pool("totolot-position"), make_till()
    client = visitor(till.cashier)
    read = client.post(f"/pools/{pool.code}/coupon/", {"selections": "1;X;2", "stake": "1000.00"})
    assert not asks(read)
    form = {name: hidden(read, name) for name in ("selections", "stake", "token")}
    refused = client.post(f"/pools/{pool.code}/pay/", form)
    assert (refused.status_code, asks(refused), hidden(refused, "token")) == (403, True, form["token"])
    assert ASKED in text_of(refused)
    wrong = client.post(f"/pools/{pool.code}/pay/", {**form, **ADULT, "birth_date": "1990-05-30"})
    assert (wrong.status_code, asks(wrong)) == (400, True)
    assert "The identity number tells another date of birth." in text_of(wrong)
    assert Bet.objects.count() == 0
    assert client.post(f"/pools/{pool.code}/pay/", {**form, **ADULT}).status_code == 201
    assert Bet.objects.get().person == somebody(ADULT["identity_number"])
    assert client.post(f"/pools/{pool.code}/ticket.pdf", form)["Content-Type"] == "application/pdf"
    assert balance(till.ledger_account) == 100_000


def test_a_small_bet_is_sold_without_a_question() -> None:
    pool, till = make_pool("totolot-position"), make_till()
    form = {"selections": "1;X;2", "stake": "999.99", "token": "t" * 32}
    assert visitor(till.cashier).post(f"/pools/{pool.code}/pay/", form).status_code == 201
    assert Bet.objects.get().person is None


def test_a_file_of_coupons_is_sold_once_who_pays_is_named() -> None:
    pool, till = make_pool("totolot-position"), make_till()
    client = visitor(till.cashier)
    form = {"text": "1;X;2\n1;1;1", "stake": "500.00"}
    checked = client.post(f"/pools/{pool.code}/upload/", form)
    assert not asks(checked)
    form["token"] = hidden(checked, "token")
    refused = client.post(f"/pools/{pool.code}/upload/sell/", form)
    assert (refused.status_code, asks(refused), hidden(refused, "token")) == (403, True, form["token"])
    assert ASKED in text_of(refused)
    empty = client.post(f"/pools/{pool.code}/upload/sell/", {**form, "identity_number": "", "birth_date": ""})
    assert (empty.status_code, asks(empty), Bet.objects.count()) == (400, True, 0)
    young = {"identity_number": "DESK000009", "birth_date": "2020-01-01"}
    barred = client.post(f"/pools/{pool.code}/upload/sell/", {**form, **young})
    assert (barred.status_code, Bet.objects.count(), balance(till.ledger_account)) == (403, 0, 0)
    sold = [client.post(f"/pools/{pool.code}/upload/sell/", {**form, **ADULT}) for _ in range(2)]
    assert [answer.status_code for answer in sold] == [200, 200]
    assert set(Bet.objects.values_list("person", flat=True)) == {somebody(ADULT["identity_number"]).pk}
    assert (Bet.objects.count(), balance(till.ledger_account)) == (2, 100_000)


def test_a_large_winning_is_paid_once_the_winner_is_named() -> None:
    pool, till = make_pool("totolot-variant"), make_till(500_000)
    slip = bet_in_cash(pool, till, "1", 200_000, person=somebody())
    bet_in_cash(pool, till, "X", 200_000, person=somebody())
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    client, cash = visitor(till.cashier), balance(till.ledger_account)
    checked = client.post("/till/check/", {"ticket": slip.bet.ticket, "check_code": slip.check_code})
    assert not asks(checked)
    form = {name: hidden(checked, name) for name in ("ticket", "check_code", "token")}
    refused = client.post("/till/pay/", form)
    assert (refused.status_code, asks(refused), hidden(refused, "token")) == (403, True, form["token"])
    assert ASKED in text_of(refused)
    wrong = client.post("/till/pay/", {**form, **ADULT, "birth_date": "no day"})
    assert (wrong.status_code, asks(wrong)) == (400, True)
    assert (Payment.objects.count(), balance(till.ledger_account)) == (0, cash)
    paid = [client.post("/till/pay/", {**form, **ADULT}) for _ in range(2)]
    assert [answer.status_code for answer in paid] == [200, 200]
    payment = Payment.objects.get()
    assert balance(till.ledger_account) == cash - payment.handed_over
    noted = IdentifiedOperation.objects.get(operation=f"winning-paid:{slip.bet.ticket}")
    assert noted.person == somebody(ADULT["identity_number"])

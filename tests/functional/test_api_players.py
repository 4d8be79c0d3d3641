"""A player's own affairs over the API: bets, statement, limits, pauses, money in and out."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import InstrumentKind, LimitRaise, PlayLimit, TopUp, Withdrawal
from accounts.services.instruments import remember_instrument
from payouts.services.booking import book_payables
from tests.carding import bought
from tests.functional.calling import Caller, told
from tests.making import account_of, bet_from_account, make_player, make_pool, make_till
from tests.settling import settle
from tests.topping_up import named_bank
from totalizator.core import clock


@pytest.mark.django_db
def test_my_bets_and_my_statement() -> None:
    pool, player = make_pool(), make_player(1_000)
    won = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    lost = bet_from_account(pool, player, "2;2;2", 100).bet.ticket
    caller = Caller(player)
    assert {bet["ticket"] for bet in caller.get("me/bets?play=active").json()["bets"]} == {won, lost}
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    bets = {bet["ticket"]: bet for bet in caller.get("me/bets?play=over&page_size=2").json()["bets"]}
    assert [owed["state"] for owed in bets[won]["owed"]] == ["due"]
    assert bets[lost]["owed"] == []
    assert caller.get("me/bets?play=active").json()["bets"] == []
    moves = caller.get("me/statement").json()["moves"]
    assert [move["change"] for move in moves] == ["-1.00", "-1.00", "10.00"]
    assert caller.get("me").json()["balance"] == "8.00"


@pytest.mark.django_db
def test_limits_are_lowered_at_once_and_raised_later() -> None:
    player = make_player(10_000)
    caller, limit = Caller(player), {"kind": "stake", "period": "day"}
    assert caller.put("me/limits", {**limit, "amount": "2.00"}).json()["limits"][0]["amount"] == "2.00"
    raised = caller.put("me/limits", {**limit, "amount": "5.00"}).json()
    assert (raised["limits"][0]["amount"], raised["waiting"][0]["amount"]) == ("2.00", "5.00")
    assert told(caller.post("me/limits/confirmations", limit, key=None)) == (409, "wrong_state")
    clock.move_clock(timedelta(hours=25))
    assert caller.post("me/limits/confirmations", limit, key=None).json()["limits"][0]["amount"] == "5.00"
    assert caller.post("me/limits/removals", limit, key=None).json()["waiting"][0]["amount"] is None
    assert (PlayLimit.objects.get().amount, LimitRaise.objects.get().amount) == (500, None)


@pytest.mark.django_db
def test_a_pause_is_for_days_or_for_months_and_binds_at_once() -> None:
    pool, player = make_pool(), make_player(1_000)
    caller = Caller(player)
    assert told(caller.post("me/pauses", {"days": 7, "months": 7}, key=None)) == (400, "bad_value")
    assert told(caller.post("me/pauses", {}, key=None)) == (400, "bad_value")
    assert told(caller.post("me/pauses", {"months": 5}, key=None)) == (400, "bad_value")
    assert caller.post("me/pauses", {"months": 6}, key=None).json()["kind"] == "self_exclusion"
    bet = caller.post(f"pools/{pool.code}/bets", {"selections": "1;X;2", "stake": "1.00"})
    assert told(bet) == (403, "may_not_play")


@pytest.mark.django_db
def test_a_card_is_put_onto_the_account_once() -> None:
    player = make_player()
    (card,) = bought(make_till())
    caller = Caller(player)
    body = {"card": {"series": card.series, "number": card.number, "code": card.code}, "amount": "4.00"}
    first, second = (caller.post("me/deposits/card", body, key="one") for _ in range(2))
    assert (first.status_code, first.json()) == (201, second.json())
    assert (balance(account_of(player).ledger_account), card.money) == (400, 600)
    assert TopUp.objects.count() == 1


@pytest.mark.django_db
def test_no_token_withdraws_and_a_session_only_after_the_second_factor() -> None:
    player = make_player(10_000)
    assert told(Caller(player).post("me/withdrawals", {"amount": "1.00", "instrument": 1})) == (404, "not_found")
    account = account_of(player)
    card = remember_instrument(
        account=account, kind=InstrumentKind.DEBIT_CARD, provider="p", token="t", label="•••• 4242", at=clock.now()
    )
    body = {"amount": "1.00", "instrument": card.pk}
    assert told(Caller(player).post("me/withdrawals", body)) == (403, "step_up_needed")
    browser = Client()
    browser.force_login(player)
    answer = browser.post(
        "/api/v1/me/withdrawals", body, headers={"Idempotency-Key": "k"}, content_type="application/json"
    )
    assert told(answer) == (403, "step_up_needed")
    assert browser.post("/account/reauthenticate/", {"password": "correct horse battery"}).status_code == 302
    answer = browser.post(
        "/api/v1/me/withdrawals", body, headers={"Idempotency-Key": "k"}, content_type="application/json"
    )
    assert told(answer) == (409, "other_way")  # nothing ever came from this card
    assert Withdrawal.objects.count() == 0
    assert balance(account.ledger_account) == 10_000


@pytest.mark.django_db
def test_money_is_withdrawn_to_the_bank_account_once_and_taken_back_once() -> None:
    player = make_player(200_000)
    bank = named_bank(player)
    browser = Client()
    browser.force_login(player)
    assert browser.post("/account/reauthenticate/", {"password": "correct horse battery"}).status_code == 302

    def post(path: str, body: dict[str, str], key: str) -> Any:
        headers = {"Idempotency-Key": key}
        return browser.post(f"/api/v1/me/{path}", body, headers=headers, content_type="application/json")

    asked = [post("withdrawals", {"amount": "1500.00"}, "w") for _ in range(2)]
    assert asked[0].json() == asked[1].json()
    mine = asked[0].json()
    assert (mine["amount"], mine["state"], mine["instrument"]) == ("1500.00", "requested", bank.label)
    assert balance(account_of(player).ledger_account) == 50_000
    assert [each["id"] for each in Caller(player).get("me/withdrawals").json()["withdrawals"]] == [mine["id"]]
    back = [post(f"withdrawals/{mine['id']}/cancellation", {"reason": "another mind"}, "c") for _ in range(2)]
    assert [answer.json()["state"] for answer in back] == ["cancelled", "cancelled"]
    assert told(post(f"withdrawals/{mine['id']}/cancellation", {"reason": "again"}, "d")) == (409, "wrong_state")
    assert balance(account_of(player).ledger_account) == 200_000

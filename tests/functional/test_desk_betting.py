"""Betting by a person: mark, read back, pay, ticket; at the site and at the till (B1, B7, B9, C36)."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import GameAccount, User
from pools.models import Bet, Pool
from tests.concurrency.racing import race
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import account_of, bet_from_account, keep_register_fresh, make_player, make_pool, make_till

pytestmark = pytest.mark.django_db
MARKS = {"mark-1": ["1"], "mark-2": ["X"], "mark-3": ["1", "2"]}


def read_back(client: Client, pool: Pool, **posted: Any) -> Any:
    return client.post(f"/pools/{pool.code}/coupon/", posted or MARKS)


def payment(answer: Any) -> dict[str, str]:
    return {name: hidden(answer, name) for name in ("selections", "stake", "token")}


def test_signing_up_opens_a_game_account_for_a_player() -> None:
    keep_register_fresh()
    form = {
        "username": "gambler",
        "email": "gambler@example.com",
        "password1": "correct horse battery",
        "password2": "correct horse battery",
    }
    refused = visitor().post("/account/signup/", form)
    assert "Only persons of at least 21 years may take part." in text_of(refused)
    assert not User.objects.filter(username="gambler").exists()
    client = visitor()
    assert client.post("/account/signup/", {**form, "of_age": "on", "consent": "on"}).status_code == 302
    player = User.objects.get(username="gambler")
    assert GameAccount.objects.filter(player=player).count() == 1
    assert "BYN 0.00 on the game account" in text_of(client.get("/my/"))
    assert "Bets are taken only from who has shown a document, once." in text_of(client.get("/my/"))
    again = visitor().post("/account/signup/", {**form, "email": "other@example.com", "of_age": "on", "consent": "on"})
    assert again.status_code == 200
    assert User.objects.filter(username="gambler").count() == 1


def test_a_player_logs_in_and_out() -> None:
    player = make_player()
    client = visitor()
    wrong = client.post("/account/login/", {"login": player.username, "password": "no"})
    assert wrong.status_code == 200
    form = {"login": player.username, "password": "correct horse battery"}
    assert client.post("/account/login/", form).status_code == 302
    assert player.username in text_of(client.get("/my/"))
    assert client.post("/account/logout/").status_code == 302
    assert client.get("/my/").status_code == 302


def test_b9_the_coupon_is_read_back_before_anything_is_paid() -> None:
    pool, player = make_pool(), make_player(1_000)
    answer = read_back(visitor(player), pool)
    text = text_of(answer)
    assert "2 lines BYN 1.00 for each line BYN 2.00 to pay On your game account: BYN 10.00" in text
    assert "1;X;1+2" in text
    assert Bet.objects.count() == 0
    assert balance(account_of(player).ledger_account) == 1_000


def test_c36_the_form_sent_twice_is_one_ticket_and_both_answers_show_it() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    first, second = (client.post(f"/pools/{pool.code}/pay/", form) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    bet = Bet.objects.get()
    assert (bet.stake, bet.lines, bet.player) == (200, 2, player)
    assert bet.ticket in text_of(first)
    assert bet.ticket in text_of(second)
    assert "there is one ticket, and it was paid once" in text_of(second)
    assert balance(account_of(player).ledger_account) == 800
    pdf = client.post(f"/pools/{pool.code}/ticket.pdf", form)
    assert (pdf["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    assert Bet.objects.count() == 1


def test_a_form_that_bought_nothing_prints_nothing() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    answer = client.post(f"/pools/{pool.code}/ticket.pdf", form)
    assert answer.status_code == 404
    assert "Nothing was bought with this form" in text_of(answer)
    assert not Bet.objects.exists()
    assert balance(account_of(player).ledger_account) == 1_000
    assert client.post(f"/pools/{pool.code}/pay/", form).status_code == 201  # its token is still good


@pytest.mark.django_db(transaction=True)
def test_c36_two_clicks_at_the_same_moment_are_one_ticket() -> None:
    pool, till = make_pool(), make_till()
    clients = [visitor(till.cashier) for _ in range(2)]
    form = payment(read_back(clients[0], pool))
    answers = race([partial(client.post, f"/pools/{pool.code}/pay/", form) for client in clients])
    bet = Bet.objects.get()
    assert [bet.ticket in text_of(answer) for answer in answers] == [True, True]
    assert balance(till.ledger_account) == 200


def test_the_token_of_one_form_buys_no_other_coupon() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    client.post(f"/pools/{pool.code}/pay/", form)
    answer = client.post(f"/pools/{pool.code}/pay/", {**form, "selections": "2;2;2", "stake": "1.00"})
    assert answer.status_code == 409
    assert "This idempotency key was already used" in text_of(answer)
    assert Bet.objects.count() == 1


@pytest.mark.parametrize(
    ("posted", "said"),
    [
        ({"mark-1": "1", "mark-3": "2"}, "Mark at least one outcome in condition 2."),
        ({**MARKS, "mark-2": "9"}, "expected outcomes of condition 2 in announced order, not '9'."),
        ({"selections": "1;X"}, "Selections: expected 3 conditions joined by ; and not 2."),
        ({"typed": "1(X2"}, "A bracket is missing."),
    ],
)
def test_a_coupon_that_cannot_be_read_says_where(posted: dict[str, Any], said: str) -> None:
    pool, player = make_pool(), make_player(1_000)
    answer = read_back(visitor(player), pool, **posted)
    assert answer.status_code == 400
    assert said in text_of(answer).replace("&#x27;", "'")
    assert Bet.objects.count() == 0


def test_the_marks_are_kept_when_a_coupon_is_refused_or_changed() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    refused = read_back(client, pool, **{"mark-1": "1", "mark-3": "2"})
    assert refused.content.decode().count(" checked") == 2
    changed = client.post(f"/pools/{pool.code}/coupon/change/", {"selections": "1;X;1+2", "stake": "2.00"})
    assert changed.content.decode().count(" checked") == 4


def test_a_free_stake_is_typed_and_checked_against_the_limits() -> None:
    pool, player = make_pool("totolot-position"), make_player(100_000)
    client = visitor(player)
    assert "BYN 12.50 to pay" in text_of(read_back(client, pool, **MARKS, stake="12,50"))
    for stake, said in (
        ("", "Give an amount in BYN with at most two decimals"),
        ("0.50", "expected a stake from BYN 1.00 to BYN 1,000,000.00, not BYN 0.50 (¶24)."),
        ("12.51", "expected a stake that divides evenly over 2 lines (D-10)."),
    ):
        answer = read_back(client, pool, **MARKS, stake=stake)
        assert (answer.status_code, said in text_of(answer)) == (400, True)


def test_too_little_money_is_said_before_and_refused_after() -> None:
    pool, player = make_pool(), make_player(150)
    client = visitor(player)
    answer = read_back(client, pool)
    assert "There is not enough money on the game account." in text_of(answer)
    assert "Pay BYN 2.00 by card" in text_of(answer)  # the only button there is
    assert answer.content.decode().count('name="token"') == 1
    form = {"selections": "1;X;1+2", "stake": "2.00", "token": "t" * 32}
    refused = client.post(f"/pools/{pool.code}/pay/", form)
    assert refused.status_code == 409
    assert "Nothing was changed and no money was taken." in text_of(refused)
    assert balance(account_of(player).ledger_account) == 150


def test_b7_a_quick_pick_marks_a_line_and_buys_nothing() -> None:
    pool, player = make_pool(), make_player(1_000)
    answer = visitor(player).get(f"/pools/{pool.code}/quick/")
    assert answer.content.decode().count(" checked") == 3
    assert Bet.objects.count() == 0


def test_a_cashier_sells_a_typed_coupon_for_cash() -> None:
    pool, till = make_pool(), make_till(500)
    client = visitor(till.cashier)
    answer = read_back(client, pool, typed="1Х(12)")  # the Х is Cyrillic
    assert "Take BYN 2.00 and register" in text_of(answer)
    sold = client.post(f"/pools/{pool.code}/pay/", payment(answer))
    bet = Bet.objects.get()
    assert (bet.till, bet.stake) == (till, 200)
    assert f"{till.point}, 1, {bet.sold_by and bet.sold_by.username}" in text_of(sold)
    assert balance(till.ledger_account) == 700
    assert "BYN 7.00 cash in the till" in text_of(client.get("/till/"))


def test_c31_a_till_shows_times_in_its_points_zone() -> None:
    pool, till = make_pool(), make_till(time_zone="Asia/Yekaterinburg")
    client = visitor(till.cashier)
    sold = client.post(f"/pools/{pool.code}/pay/", payment(read_back(client, pool)))
    assert text_of(sold).count("Asia/Yekaterinburg") == 2


def test_b7_a_file_with_bad_lines_is_named_line_by_line_and_nothing_is_sold() -> None:
    pool, till = make_pool(), make_till()
    client = visitor(till.cashier)
    answer = client.post(f"/pools/{pool.code}/upload/", {"text": "1X2\n1X\n\n1(X2)2\n1X9"})
    text = text_of(answer).replace("&#x27;", "'")
    assert "2 lines are wrong. Nothing was sold." in text
    assert "2 1X Marks needed: 3; typed: 2." in text
    assert "5 1X9 Selections: expected outcomes of condition 3 in announced order, not '9'." in text
    assert Bet.objects.count() == 0


def test_b7_a_good_file_is_priced_then_sold_once() -> None:
    pool, till = make_pool(), make_till()
    client = visitor(till.cashier)
    answer = client.post(f"/pools/{pool.code}/upload/", {"text": "1X2\n1(X2)2"})
    assert "2 coupons BYN 3.00 to pay" in text_of(answer)
    form = {"text": "1X2\n1(X2)2", "stake": "", "token": hidden(answer, "token")}
    sold = [client.post(f"/pools/{pool.code}/upload/sell/", form) for _ in range(2)]
    tickets = set(Bet.objects.values_list("ticket", flat=True))
    assert len(tickets) == 2
    assert all(ticket in text_of(answer) for ticket in tickets for answer in sold)
    assert balance(till.ledger_account) == 300


def test_a_player_sees_bets_balance_and_statement() -> None:
    pool, player = make_pool(), make_player(1_000)
    placed = bet_from_account(pool, player, "1;X;1+2", 200)
    client = visitor(player)
    my = text_of(client.get("/my/"))
    assert "Bets are taken only from who" not in my
    assert f"Pool {placed.bet.ticket} 2 BYN 2.00" in my
    assert "BYN 8.00 on the game account" in my
    assert "stake" in text_of(client.get("/my/statement/"))
    assert "−BYN 2.00 BYN 8.00" in text_of(client.get("/my/statement/"))
    assert client.get(f"/my/bets/{placed.bet.ticket}/").status_code == 200
    assert placed.check_code not in client.get(f"/my/bets/{placed.bet.ticket}/").content.decode()
    assert visitor(make_player()).get(f"/my/bets/{placed.bet.ticket}/").status_code == 404


def test_an_organizer_cannot_bet() -> None:
    pool = make_pool()
    answer = visitor(pool.prepared_by).post(f"/pools/{pool.code}/pay/", {})
    assert answer.status_code == 403
    assert Bet.objects.count() == 0

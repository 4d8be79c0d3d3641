"""Many coupons from a file for a player's account: errors by line, read back, all or none, once (B7, B9, C36)."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import User
from pools.models import Bet, Pool
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import account_of, make_player, make_pool
from tests.resulting import close_by_clock
from totalizator.core import clock

pytestmark = pytest.mark.django_db
COUPONS = "1X2\n\n1(X2)2\r\n1;X;1+2\n"


def address(pool: Pool) -> str:
    return f"/pools/{pool.code}/upload/"


def read_back(client: Client, pool: Pool, text: str = COUPONS, **more: str) -> dict[str, str]:
    """What the button of the page that reads the coupons back would send."""
    answer = client.post(address(pool), {"text": text, **more})
    assert answer.status_code == 200
    return {"text": text, "stake": more.get("stake", ""), "token": hidden(answer, "token")}


def money_of(player: User) -> int:
    return balance(account_of(player).ledger_account)


def test_b7_a_players_file_is_read_back_with_its_total_then_sold_once() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    assert f'href="{address(pool)}"' in client.get(f"/pools/{pool.code}/").content.decode()
    file = SimpleUploadedFile("coupons.txt", ("\ufeff" + COUPONS).encode())
    answer = client.post(address(pool), {"file": file})
    text = text_of(answer)
    assert "3 coupons BYN 5.00 to pay 5 lines BYN 10.00 on the game account" in text
    assert "1 1;X;2 1 BYN 1.00 3 1;X+2;2 2 BYN 2.00 4 1;X;1+2 2 BYN 2.00" in text
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)
    form = {"text": COUPONS, "stake": "", "token": hidden(answer, "token")}
    sold = [client.post(f"{address(pool)}sell/", form) for _ in range(2)]
    assert [one.status_code for one in sold] == [200, 200]
    tickets = set(Bet.objects.filter(player=player).values_list("ticket", flat=True))
    assert len(tickets) == 3
    for one in sold:
        page = one.content.decode()
        assert all(f'href="/my/bets/{ticket}/"' in page for ticket in tickets)
        assert "3 tickets" in text_of(one)
    assert money_of(player) == 500
    close_by_clock(pool)  # whoever sends it again when the pool has closed is shown the tickets that stand
    assert visitor(player).post(f"{address(pool)}sell/", form).status_code == 200
    assert (Bet.objects.count(), money_of(player)) == (3, 500)


def test_b7_each_bad_line_is_named_and_nothing_is_sold() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    answer = client.post(address(pool), {"text": "1X2\n1X\n1X9"})
    text = text_of(answer).replace("&#x27;", "'")
    assert "2 lines are wrong. Nothing was sold." in text
    assert "2 1X Marks needed: 3; typed: 2." in text
    assert "3 1X9 Selections: expected outcomes of condition 3 in announced order, not '9'." in text
    assert 'name="token"' not in answer.content.decode()  # there is no button that pays
    forged = client.post(f"{address(pool)}sell/", {"text": "1X2\n1X", "stake": "", "token": "a-token-of-one's-own"})
    assert forged.status_code == 400
    assert "Nothing was sold" in text_of(forged)
    many = client.post(address(pool), {"text": "\n".join(["1X"] * 3_000)})
    assert "3000 lines are wrong" in text_of(many)
    assert len(many.content) < 150_000
    for file, told in (
        (b"\xff\xfe\x00", "must be text in UTF-8"),
        (b"1X2\n" * 250_001, "at most 1 MB"),
        (b"", "1 to 5,000"),
    ):
        refused = client.post(address(pool), {"file": SimpleUploadedFile("coupons.txt", file)})
        assert (refused.status_code, told in text_of(refused)) == (400, True), told
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)


def test_who_has_too_little_money_is_told_before_and_nobody_is_sold_a_part() -> None:
    pool, player = make_pool(), make_player(400)
    client = visitor(player)
    answer = client.post(address(pool), {"text": COUPONS})
    assert "There is not enough money on the game account for all of them." in text_of(answer)
    assert 'name="token"' not in answer.content.decode()
    form = {"text": COUPONS, "stake": "", "token": "a-token-of-one's-own"}
    refused = client.post(f"{address(pool)}sell/", form)
    assert (refused.status_code, "Nothing was sold" in text_of(refused)) == (409, True)
    assert (Bet.objects.count(), money_of(player)) == (0, 400)  # not even those that it would have been enough for


def test_a_pool_that_closed_meanwhile_sells_none_of_them() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = read_back(client, pool)
    clock.move_clock(timedelta(days=2))
    client = visitor(player)  # who was away so long logs in again
    refused = client.post(f"{address(pool)}sell/", form)
    assert (refused.status_code, "Nothing was sold" in text_of(refused)) == (409, True)
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)
    assert "The pool takes no bets now." in text_of(client.get(address(pool)))


def test_where_the_stake_is_free_one_is_given_for_each_coupon() -> None:
    pool, player = make_pool("totolot-position"), make_player(2_000)
    client = visitor(player)
    assert "Give the stake of each coupon." in text_of(client.post(address(pool), {"text": "1X2"}))
    bad = client.post(address(pool), {"text": "1X2", "stake": "much"})
    assert (bad.status_code, 'id="id_stake_error"' in bad.content.decode()) == (400, True)
    form = read_back(client, pool, "1X2\n1X1", stake="5,00")
    assert client.post(f"{address(pool)}sell/", form).status_code == 200
    assert (Bet.objects.count(), money_of(player)) == (2, 1_000)


def test_nobody_else_sells_from_a_file() -> None:
    pool = make_pool()
    answers: list[Any] = [visitor(pool.prepared_by).post(address(pool), {"text": "1X2"}), visitor().post(address(pool))]
    assert [answer.status_code for answer in answers] == [403, 302]

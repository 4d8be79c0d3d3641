"""A player's own page, all bets of a year, and the page of one bet (¶35.3, C7, X2)."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.ticket_owners import bind_to_account
from pools.services.settling import settle_pool
from tests.functional.browsing import text_of, visitor
from tests.making import account_of, bet_from_account, make_player, make_pool, make_till
from tests.paying import go_to, payable_from, sell_slips
from tests.resulting import close_by_clock, seal
from tests.settling import settle
from totalizator.core import clock

pytestmark = pytest.mark.django_db


def tickets_of(answer: object) -> list[str]:
    """The tickets that a page of the history shows, in its order."""
    return [mine.bet.ticket for mine, _stage in answer.context["shown"]]  # type: ignore[attr-defined]


def test_c7_a_bet_goes_from_registered_to_paid_and_the_pages_say_so() -> None:
    pool, player = make_pool(), make_player(1_000)
    won = bet_from_account(pool, player, "1+X;1;2", 200).bet.ticket
    lost = bet_from_account(pool, player, "2;2;1", 100).bet.ticket
    client, here = visitor(player), f"/my/bets/{won}/"
    page = client.get("/my/")
    assert "BYN 7.00 on the game account" in text_of(page)
    assert 'role="timer"' in page.content.decode()
    assert client.get(here).context["now"] == 2

    close_by_clock(pool)
    client = visitor(player)
    assert "being played" in text_of(client.get("/my/"))
    assert client.get(here).context["now"] == 3
    seal(pool, "1;1;2")
    sealed = client.get(here)
    assert (sealed.context["now"], "result sealed" in text_of(client.get("/my/"))) == (4, True)
    assert text_of(sealed).count("hit") >= 3
    settle_pool(code=pool.code, actor="test")
    book_payables(code=pool.code)
    # Of 3.00 staked 2.10 is the fund: 1.26 for all three, 0.84 for the line with two.
    waits = client.get("/my/")
    assert "BYN 2.10 won, on its way to the account" in text_of(waits)
    assert client.get(here).context["now"] == 5
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    client = visitor(player)
    paid = client.get(here)
    assert paid.context["now"] == 6
    assert "Winning: BYN 2.10" in text_of(paid)
    assert "Level all: 1 line, BYN 1.26" in text_of(paid)
    assert "Level but-one: 1 line, BYN 0.84" in text_of(paid)
    assert "Paid: BYN 1.99 to the game account" in text_of(paid)
    assert "Nothing won" in text_of(client.get(f"/my/bets/{lost}/"))
    assert "BYN 8.99 on the game account" in text_of(client.get("/my/"))

    assert tickets_of(client.get("/my/bets/?state=won")) == [won]
    assert tickets_of(client.get("/my/bets/?state=nothing")) == [lost]
    assert tickets_of(client.get("/my/bets/?state=waits")) == []
    assert tickets_of(client.get("/my/bets/?game=sportloto-position")) == [lost, won]
    assert tickets_of(client.get("/my/bets/?game=totolot-position")) == []
    assert tickets_of(client.get("/my/bets/?state=nonsense&game=1&period=x")) == [lost, won]


def test_c7_the_history_goes_back_a_year_and_further_when_asked() -> None:
    player = make_player(1_000)
    old = bet_from_account(make_pool(), player, "1;1;1", 100).bet.ticket
    clock.move_clock(timedelta(days=200))
    new = bet_from_account(make_pool(), player, "1;1;1", 100).bet.ticket
    client = visitor(player)
    assert tickets_of(client.get("/my/bets/")) == [new, old]
    assert tickets_of(client.get("/my/bets/?period=half")) == [new]
    clock.move_clock(timedelta(days=200))
    client = visitor(player)
    assert tickets_of(client.get("/my/bets/")) == [new]
    assert tickets_of(client.get("/my/bets/?period=month")) == []
    assert tickets_of(client.get("/my/bets/?period=all")) == [new, old]


def test_c7_the_history_is_paged_and_asks_no_more_for_more_bets() -> None:
    pool, player = make_pool(), make_player(10_000)
    made = [bet_from_account(pool, player, "1;1;1", 100).bet.ticket]
    client = visitor(player)
    client.get("/my/bets/")
    with CaptureQueriesContext(connection) as few:
        client.get("/my/bets/")
    made += [bet_from_account(pool, player, "1;1;1", 100).bet.ticket for _ in range(26)]
    with CaptureQueriesContext(connection) as many:
        page = client.get("/my/bets/?state=play")
    assert len(many) <= len(few) + 2  # whatever how many bets: a session may be kept meanwhile
    assert tickets_of(page) == made[:1:-1]
    assert "?state=play&amp;page=2" in page.content.decode()
    assert tickets_of(client.get("/my/bets/?state=play&page=2")) == [made[1], made[0]]
    assert 'href="/my/bets/?state=play&amp;period=all"' in client.get("/my/").content.decode()


def test_x2_a_bet_has_its_receipt_and_can_be_played_again_and_passed_on() -> None:
    pool, player = make_pool(), make_player(1_000)
    placed = bet_from_account(pool, player, "1;X;1+2", 200)
    client, here = visitor(player), f"/my/bets/{placed.bet.ticket}/"
    page = client.get(here).content.decode()
    assert f'href="/pools/{pool.code}/copy/{placed.bet.ticket}/"' in page
    assert f"/t/{placed.bet.ticket}/" in page
    assert "coupon=1%3BX%3B1%2B2" in page
    assert f'href="/my/disputes/?ticket={placed.bet.ticket}"' in page
    assert placed.check_code not in page
    receipt = client.get(f"{here}receipt/")
    assert receipt["Content-Disposition"] == f'attachment; filename="receipt-{placed.bet.ticket}.json"'
    assert json.loads(receipt.content)["bet"].startswith(placed.bet.ticket)
    close_by_clock(pool)
    client = visitor(player)
    assert "index" in json.loads(client.get(f"{here}receipt/").content)
    other = visitor(make_player())
    for address in (here, f"{here}receipt/", "/my/bets/T-NONE/"):
        assert other.get(address).status_code == 404


def test_c7_of_a_cancelled_pool_the_stake_goes_back() -> None:
    from tests.cancelled_pools import cancel

    pool, player = make_pool(), make_player(1_000)
    ticket = bet_from_account(pool, player, "1;1;1", 100).bet.ticket
    cancel(pool)
    book_payables(code=pool.code)
    client = visitor(player)
    page = client.get(f"/my/bets/{ticket}/")
    assert "The pool is cancelled" in text_of(page)
    assert tickets_of(client.get("/my/bets/?state=returned")) == [ticket]
    assert tickets_of(client.get("/my/bets/?state=nothing")) == []


def test_x10_a_won_paper_ticket_waits_to_be_fetched_until_it_is_credited() -> None:
    till, player = make_till(1_000), make_player(1_000)
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    bind_to_account(account=account_of(player), ticket=slip.bet.ticket, check_code=slip.check_code)
    settle(pool, "1")
    book_payables(code=pool.code)
    client = visitor(player)
    assert "1 paper ticket has won and is to be fetched : BYN 0.70" in text_of(client.get("/my/"))
    assert client.get(f"/my/bets/{slip.bet.ticket}/").status_code == 200
    assert "to be paid" in text_of(client.get("/my/tickets/"))
    stranger = visitor(make_player())
    assert stranger.get(f"/my/bets/{slip.bet.ticket}/").status_code == 404
    assert "to be fetched" not in text_of(stranger.get("/my/"))

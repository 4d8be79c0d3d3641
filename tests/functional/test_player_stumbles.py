"""Where a player stumbled: a log-in in the middle of a coupon, what is left, what a page begins with, words of ours."""

import re

import pytest

from pools.models import Bet
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_from_account, make_player, make_pool
from tests.paying import money_of

pytestmark = pytest.mark.django_db


def test_who_marks_a_coupon_without_a_log_in_is_told_that_it_is_kept() -> None:
    pool = make_pool()
    asked = visitor().post(f"/pools/{pool.code}/coupon/", {"mark-1": "1", "mark-2": "X", "mark-3": "2"}, follow=True)
    assert asked.redirect_chain[0][0].startswith("/account/login/")
    assert "Log in to bet. What you marked is kept." in text_of(asked)


def test_a_paid_bet_says_what_is_left_on_the_account() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    read = client.post(f"/pools/{pool.code}/coupon/", {"mark-1": "1", "mark-2": "X", "mark-3": "2"})
    form = {name: hidden(read, name) for name in ("selections", "stake", "token")}
    paid = client.post(f"/pools/{pool.code}/pay/", form)
    assert (paid.status_code, money_of(player), Bet.objects.count()) == (201, 900, 1)
    assert "Paid: BYN 1.00. Left on the game account: BYN 9.00" in text_of(paid)


def test_my_page_shows_the_bets_before_the_list_of_pages() -> None:
    player = make_player(1_000)
    bet_from_account(make_pool(), player, "1;X;2", 100)
    page = visitor(player).get("/my/").content.decode()
    places = [page.index(found) for found in ('id="play"', 'class="sections"', 'id="past"')]
    assert places == sorted(places)
    assert page.index("/my/top-ups/") < places[0]


def test_the_terms_cite_paragraphs_but_no_decisions_of_this_project() -> None:
    text = text_of(visitor().get(f"/pools/{make_pool().code}/"))
    assert "(¶11)" in text
    assert re.search(r"D-\d", text) is None

"""What comes between a player and a bet, in a real browser: no scripts, Back, a second tab, a log-in or pool that ends.

What the server answers to each is tried in functional/test_coupon_paying.py; here the browser's own part is.
"""

from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from pools.models import Bet, Pool
from tests.browser.driving import PHONE, Desk, seated
from tests.browser.looking import faults_of, sticking_out
from tests.making import make_player, make_pool
from tests.paying import money_of
from totalizator.core import clock

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MARKS = "1X21X"


def mark(page: Page, marks: str = MARKS) -> None:
    """Mark a coupon on the page of its pool."""
    for row, wanted in enumerate(marks):
        page.locator(f".coupon .grid > li:nth-child({row + 1}) label:has(input[value='{wanted}'])").click()


def press(page: Page, act: str) -> None:
    """Press the button of the form that is sent to an address with this ending; a page comes."""
    with page.expect_navigation():
        page.locator(f"main form[action$='/{act}/'] button:not([type=button])").first.click()


def read_back(desk: Desk, pool: Pool) -> None:
    """Fill a coupon in and have it read back."""
    desk.open(f"/pools/{pool.code}/")
    mark(desk.page)
    press(desk.page, "coupon")
    expect(desk.page.locator("h1")).to_have_text("Is this your coupon?")


def looks_right(page: Page) -> None:
    """Have nothing against WCAG 2.2 AA, and fit the screen."""
    assert faults_of(page) == []
    assert sticking_out(page, PHONE[0]) == []


def test_without_scripts_the_whole_bet_works(browser: Browser, live_server: LiveServer) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5)
    with seated(browser, live_server.url, size=PHONE, scripts=False) as desk:
        page = desk.page
        desk.open(f"/pools/{pool.code}/")
        mark(page, "1X21")
        press(page, "coupon")
        assert "/account/login/" in page.url  # the marks wait behind the log-in
        page.locator("input[name=login]").fill(player.username)
        page.locator("input[name=password]").fill("correct horse battery")
        with page.expect_navigation():
            page.locator("main form button").last.click()
        expect(page.locator(".grid input:checked")).to_have_count(4)
        press(page, "coupon")
        expect(page.locator(".grid input:checked")).to_have_count(4)  # one row lacks a mark: nothing is read back
        assert Bet.objects.count() == 0
        page.locator(".coupon .grid > li:nth-child(5) label:has(input[value='X'])").click()
        press(page, "coupon")
        expect(page.locator("h1")).to_have_text("Is this your coupon?")
        press(page, "pay")
        ticket = Bet.objects.get().ticket
        expect(page.locator(".ticket")).to_contain_text(ticket)
        desk.open(f"/my/bets/{ticket}/")
        expect(page.locator("h1")).to_contain_text(ticket)
    assert money_of(player) == 900


def test_c36_neither_a_double_click_nor_a_refresh_nor_back_buys_twice(
    browser: Browser, live_server: LiveServer
) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5)
    with seated(browser, live_server.url, player, size=PHONE) as desk:
        page = desk.page
        read_back(desk, pool)
        page.locator("main form[action$='/pay/'] button").first.dblclick()
        expect(page.locator(".ticket")).to_be_visible()
        page.wait_for_load_state()
        page.reload()
        ticket = Bet.objects.get().ticket
        expect(page.locator(".ticket")).to_contain_text(ticket)
        expect(page.locator(".verdict")).to_have_text("This bet was registered before")
        page.go_back()
        if page.locator("main form[action$='/pay/'] button").count():
            press(page, "pay")
            expect(page.locator(".verdict")).to_have_text("This bet was registered before")
        assert (Bet.objects.count(), money_of(player)) == (1, 900)


def test_two_tabs_keep_their_coupons_apart(browser: Browser, live_server: LiveServer) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5)
    with seated(browser, live_server.url, player, size=PHONE) as desk:
        one = desk.page
        read_back(desk, pool)
        other = Desk(one.context.new_page(), desk.address)
        other.open(f"/pools/{pool.code}/")
        mark(other.page, "22222")
        press(other.page, "coupon")
        one.bring_to_front()
        press(one, "pay")
        other.page.bring_to_front()
        press(other.page, "pay")
        first, second = Bet.objects.order_by("registered_at")
        expect(one.locator(".ticket")).to_contain_text(first.ticket)
        expect(other.page.locator(".ticket")).to_contain_text(second.ticket)
        assert one.locator("#coupon_address").input_value().endswith("?coupon=1%3BX%3B2%3B1%3BX")
        assert other.page.locator("#coupon_address").input_value().endswith("?coupon=2%3B2%3B2%3B2%3B2")
    assert (Bet.objects.count(), money_of(player)) == (2, 800)


def test_a_log_in_that_ends_while_marking_keeps_the_marks(browser: Browser, live_server: LiveServer) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5)
    with seated(browser, live_server.url, player, size=PHONE) as desk:
        page = desk.page
        desk.open(f"/pools/{pool.code}/")
        mark(page)
        clock.move_clock(timedelta(minutes=31))
        press(page, "coupon")
        expect(page.locator("main")).to_contain_text("logged out because nothing was done")
        looks_right(page)
        page.fill("input[name=login]", player.username)
        page.fill("input[name=password]", "correct horse battery")
        with page.expect_navigation():
            page.locator("main form button").last.click()
        expect(page.locator(".grid input:checked")).to_have_count(5)
        expect(page.locator("#said")).to_contain_text("Nothing has been paid for it.")
        press(page, "coupon")
        press(page, "pay")
        assert desk.complaints == []
    assert (Bet.objects.get().player, money_of(player)) == (player, 900)


def test_a_pool_that_closes_while_paying_says_so_clearly(browser: Browser, live_server: LiveServer) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5, lasts=timedelta(minutes=5))
    with seated(browser, live_server.url, player, size=PHONE) as desk:
        read_back(desk, pool)
        clock.move_clock(pool.closes_at - clock.now() + timedelta(seconds=1))
        press(desk.page, "pay")
        expect(desk.page.locator(".verdict")).to_have_text("The bet was not made")
        expect(desk.page.locator(".verdict")).to_be_in_viewport()
        expect(desk.page.locator("main")).to_contain_text("no money was taken")
        expect(desk.page.locator("main")).to_contain_text("The pool is closed: bets are no longer taken.")
        looks_right(desk.page)
        desk.page.reload()
        expect(desk.page.locator(".verdict")).to_have_text("The bet was not made")
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)

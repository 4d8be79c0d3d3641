"""A bet without a mouse, in two languages, on a phone and on a large screen: everything is reached and seen by keys."""

import pytest
from django.utils.translation import gettext, override
from playwright.sync_api import Browser, Locator, Page
from pytest_django.live_server_helper import LiveServer

from accounts.ledger.balances import balance
from pools.models import Bet
from tests.browser.driving import COUNTER, PHONE, seated
from tests.browser.looking import faults_of
from tests.making import account_of, make_player, make_pool

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_TABS = 80
HAS_FOCUS = "part => part === document.activeElement"
SHOWS_FOCUS = """() => {
    const part = document.activeElement, seen = part.matches("input[type=checkbox]") ? part.parentElement : part;
    const around = [...seen.children, part];
    for (let one = seen; one; one = one.parentElement) around.push(one);
    const marked = around.some(one => {
        const style = getComputedStyle(one);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    const box = seen.getBoundingClientRect();
    return marked && box.width > 0 && box.bottom > 0 && box.top < innerHeight;
}"""


def tab_to(page: Page, goal: Locator) -> None:
    """Press Tab until `goal` has the focus; whatever has it on the way shows it, inside the screen."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            continue
        assert page.evaluate(SHOWS_FOCUS), page.evaluate("document.activeElement.outerHTML")
        if goal.evaluate(HAS_FOCUS):
            return
    pytest.fail(f"no key leads to {goal}")


def press(page: Page, goal: Locator) -> None:
    """Go to `goal`, and press it: a page comes."""
    tab_to(page, goal)
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.parametrize(("language", "size"), [("ru", PHONE), ("en", COUNTER)], ids=["ru-phone", "en-counter"])
def test_a_bet_without_a_mouse(language: str, size: tuple[int, int], browser: Browser, live_server: LiveServer) -> None:
    player, pool = make_player(1_000), make_pool(conditions=5)
    with seated(browser, live_server.url, language=language, size=size) as desk, override(language):
        page = desk.page
        desk.open("/")
        if size == PHONE:
            tab_to(page, page.get_by_role("button", name=gettext("Menu")))
            page.keyboard.press("Enter")
        press(page, page.get_by_role("link", name=gettext("Log in")))
        tab_to(page, page.locator("input[name=login]"))
        page.keyboard.type(player.username)
        tab_to(page, page.locator("input[name=password]"))
        page.keyboard.type("correct horse battery")
        with page.expect_navigation():
            page.keyboard.press("Enter")

        press(page, page.locator(f"main a[href='/pools/{pool.code}/']").first)
        for row, mark in enumerate("1X21X"):
            tab_to(page, page.locator("fieldset").nth(row).get_by_role("checkbox", name=mark))
            page.keyboard.press("Space")
        press(page, page.locator("form[action$='/coupon/'] button:not([type=button])").first)
        assert page.locator("h1").inner_text() == gettext("Is this your coupon?")
        assert page.get_by_text("1;X;2;1;X").count() == 1
        assert faults_of(page) == []
        assert not Bet.objects.exists()

        press(page, page.locator("form[action$='/pay/'] button").first)
        bet = Bet.objects.get()
        assert bet.ticket in page.locator("main").inner_text()
        assert faults_of(page) == []
        assert (bet.stake, bet.lines, balance(account_of(player).ledger_account)) == (100, 1, 900)
        press(page, page.locator("main").get_by_role("link", name=gettext("My page")).first)
        press(page, page.get_by_role("link", name=bet.ticket).first)
        assert page.url == f"{live_server.url}/my/bets/{bet.ticket}/"
        assert desk.complaints == []


def test_a_way_without_a_sign_of_the_focus_is_found(browser: Browser) -> None:
    with seated(browser, "http://localhost") as desk:
        desk.page.set_content("<a href='#x'>one</a><a href='#y' id='goal'>two</a>")
        desk.page.add_style_tag(content="a:focus { outline: 2px solid }")
        tab_to(desk.page, desk.page.locator("#goal"))
        desk.page.set_content("<a href='#x'>one</a><a href='#y' id='goal'>two</a>")
        desk.page.add_style_tag(content="a:focus { outline: 0 }")
        with pytest.raises(AssertionError, match="one"):
            tab_to(desk.page, desk.page.locator("#goal"))

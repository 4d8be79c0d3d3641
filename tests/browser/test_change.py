"""The change beside the money that is typed, and a card scanned into the desk's field while a coupon is read back."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from pools.models import Bet, Channel
from tests.browser.driving import seated
from tests.carding import bought
from tests.making import make_pool, make_till

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_change_is_shown_while_the_money_is_typed_and_a_scanned_card_pays(
    live_server: LiveServer, browser: Browser
) -> None:
    till = make_till()
    make_pool()
    (card,) = bought(till)
    with seated(browser, live_server.url, till.cashier) as desk:
        keys, page = desk.page.keyboard, desk.page
        desk.open("/till/")
        keys.type("1X2")
        keys.press("Enter")
        shown = page.locator("[data-due]")
        expect(shown).to_be_hidden()
        for typed, words in (("0,5", "Missing BYN\u00a00.50"), ("0", "Missing BYN\u00a00.50"), ("x", None)):
            keys.type(typed)
            if words is None:
                expect(shown).to_be_hidden()
            else:
                expect(shown).to_have_text(words)
        page.locator("#id_given").fill("1000.5")
        expect(shown).to_have_text("Change to give back BYN\u00a0999.50")
        page.locator("#id_given").fill("")
        keys.type(card.number)  # where the money is typed: it is no amount
        keys.press("Enter")
        expect(page.locator("#id_card_series")).to_be_focused()
        keys.type(card.series)
        page.locator("#id_card_code").fill(card.code)
        keys.press("Enter")
        expect(page.locator(".verdict")).to_have_text("ACCEPTED")
        assert (Bet.objects.get().channel, card.money, desk.complaints) == (Channel.CARD, 900, [])

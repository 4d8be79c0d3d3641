"""The pictures of the cashier's guide, made anew: `make test ARGS="tests/browser/screenshots_cashier.py"`.

Not part of the tests, as screenshots.py beside it, and made in the same way: a cashier does what the guide tells.
"""

import pytest
from playwright.sync_api import Browser, Route, expect
from pytest_django.live_server_helper import LiveServer

from accounts.services.bank_terms import record_cash_limit
from pools.services.printed_tickets import qr_text
from tests.browser.driving import Desk, seated
from tests.browser.screenshots import MOST_BYTES, PICTURES, call, make_round, small
from tests.claiming import won
from tests.desks import FIRST, keeper
from tests.making import make_commission, make_till
from tests.paying import go_to, payable_from

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SYSTEM = "1X(12)1X211X21X2X1"


def lose(route: Route) -> None:
    """The link breaks."""
    route.abort("connectionreset")


@pytest.mark.parametrize("language", ["ru", "en"])
def test_pictures_of_the_cashier(language: str, browser: Browser, live_server: LiveServer) -> None:
    pool, slip = won(make_till())
    go_to(payable_from(pool))
    make_round(44, make_commission())
    till = make_till(35_000)
    till.point.name = {"ru": "Магазин «Старт»", "en": "Start shop"}[language]
    till.point.save()
    call(till.cashier, "kassir-1")
    record_cash_limit(point=till.point, amount=100_000, valid_from=FIRST, document="Letter 1", by=keeper())
    folder = PICTURES / language
    folder.mkdir(parents=True, exist_ok=True)

    def shoot(desk: Desk, name: str) -> None:
        picture = small(desk.page.screenshot())
        assert len(picture) <= MOST_BYTES, (name, len(picture))
        (folder / f"{name}.png").write_bytes(picture)

    with (
        seated(browser, live_server.url, till.cashier, language=language) as desk,
        seated(browser, live_server.url, till.cashier, language=language) as screen,
    ):
        page, keys = desk.page, desk.page.keyboard
        desk.open("/till/")
        shoot(desk, "cashier")
        keys.type(SYSTEM)
        keys.press("Enter")
        expect(page.locator("#id_given")).to_be_focused()
        keys.type("5")
        shoot(desk, "cashier-read-back")
        page.route("**/till/sell/", lose, times=1)
        keys.press("Enter")
        expect(page.locator(".verdict")).to_be_visible()
        shoot(desk, "cashier-no-answer")
        keys.press("Enter")
        expect(page.locator(".ticket")).to_be_visible()
        shoot(desk, "cashier-accepted")
        keys.type(qr_text(slip.bet, slip.check_code))
        keys.press("Enter")
        expect(page.locator("button.large")).to_be_visible()
        shoot(desk, "cashier-check")
        screen.open("/till/customer/")
        shoot(screen, "cashier-customer")
        keys.press("Enter")
        expect(page.locator(".notice.paid")).to_be_visible()
        shoot(desk, "cashier-paid")

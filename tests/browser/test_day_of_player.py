"""A player's whole day in a real browser: top up, a coupon, its ticket, the result, the money back, limits, a pause."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils.translation import gettext, override
from playwright.sync_api import Browser, Locator, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import Exclusion, ProviderDeposit, User, Withdrawal
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Bet, Pool
from tests.browser.driving import COUNTER, PHONE, Desk, seated
from tests.browser.looking import faults_of, sticking_out
from tests.fakes.provider import DEBIT_CARD, FakeProvider, running, settings_of
from tests.making import bet_in_cash, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, payable_from
from tests.settling import settle
from tests.topping_up import hear, named_bank
from totalizator.core.money import format_byn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "correct horse battery"
RIGHT = "1X21X"
ANSWERS = ("status of 400", "status of 409")
"""What a browser notes of a form that came back with a fault."""


@dataclass
class Sitting:
    """A player before a browser."""

    desk: Desk
    player: User
    language: str
    width: int

    def look(self) -> None:
        """Look at the page as it stands, also one that only a form leads to; on the phone with axe, too."""
        if self.width == PHONE[0]:
            assert faults_of(self.desk.page) == [], self.desk.page.url
        assert sticking_out(self.desk.page, self.width) == [], self.desk.page.url

    def go(self, where: Locator) -> None:
        """Press it, by the thumb on a phone and by the keyboard at a desk; a page comes."""
        with self.desk.page.expect_navigation():
            if self.width == PHONE[0]:
                where.click()
            else:
                where.press("Enter")

    def link(self, path: str) -> Locator:
        """The first link of the page's content that leads to `path`."""
        return self.desk.page.locator(f"main a[href='{path}']").first

    def button_to(self, path: str) -> Locator:
        """The button of the form that is sent to `path`."""
        return self.desk.page.locator(f"main form[action='{path}'] button:not([type=button])").first

    def log_in(self, path: str) -> None:
        """Ask for a page, log in on the way, and come to it."""
        page = self.desk.page
        self.desk.open(path)
        page.fill("input[name=login]", self.player.username)
        page.fill("input[name=password]", PASSWORD)
        self.go(page.locator("main form button").last)
        assert page.url == self.desk.address + path

    def prove(self, link: Locator) -> None:
        """Prove once more who it is, and come back."""
        back = self.desk.page.url
        self.go(link)
        self.desk.page.fill("input[name=password]", PASSWORD)
        self.go(self.desk.page.locator("main form button").last)
        assert self.desk.page.url == back

    def mark(self, marks: str) -> None:
        """Mark a coupon: with a thumb, or by arrow keys and space."""
        rows = self.desk.page.locator(".coupon .grid > li")
        if self.width != PHONE[0]:
            rows.first.get_by_role("checkbox", name="1", exact=True).focus()
        for row, mark in enumerate(marks):
            box = rows.nth(row).get_by_role("checkbox", name=mark, exact=True)
            if self.width == PHONE[0]:
                rows.nth(row).locator(f"label:has(input[value='{mark}'])").tap()
            else:
                keys = self.desk.page.keyboard
                for _step in range("1X2".index(mark)):
                    keys.press("ArrowRight")
                expect(box).to_be_focused()
                keys.press("Space")
                for _step in range("1X2".index(mark)):
                    keys.press("ArrowLeft")
                keys.press("ArrowDown")
            expect(box).to_be_checked()

    def shows(self, words: str) -> None:
        """See these words, in the player's language, in the page's content."""
        with override(self.language):
            expect(self.desk.page.locator("main")).to_contain_text(gettext(words))


@contextmanager
def sitting(browser: Browser, address: str, player: User, language: str, size: tuple[int, int]) -> Iterator[Sitting]:
    """A player who is not logged in yet."""
    with seated(browser, address, language=language, size=size, thumbs=size == PHONE) as desk:
        yield Sitting(desk, player, language, size[0])
        assert [said for said in desk.complaints if not any(answer in said for answer in ANSWERS)] == []


@pytest.fixture
def provider(settings: Any) -> Iterator[FakeProvider]:
    """A payment system that is connected."""
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)
        settings.PAYMENT_PROVIDERS["fake"]["title"] = "ЕРИП"
        yield fake


def top_up(one: Sitting, provider: FakeProvider) -> None:
    """Put money onto the account; the page changes by itself once the payment system has it."""
    one.log_in("/my/")
    one.go(one.link("/my/top-ups/"))
    one.desk.page.locator("form[action='/my/top-ups/'] [name=amount]").fill("20")
    one.go(one.button_to("/my/top-ups/"))
    deposit = ProviderDeposit.objects.get()
    assert one.link(f"https://pay.example/D-{deposit.pk}").count() == 1
    one.look()
    hear(provider.message("deposit", deposit.reference, instrument=DEBIT_CARD))
    one.go(one.link(f"/my/top-ups/{deposit.pk}/"))
    one.shows("The money is on your game account.")
    one.look()
    assert money_of(one.player) == 2_000


def bet(one: Sitting, pool: Pool) -> Bet:
    """Fill the coupon in, read it back, change it, and pay; neither a refresh nor Back buys a second one."""
    page = one.desk.page
    one.desk.open("/")
    one.go(one.link(f"/pools/{pool.code}/"))
    one.mark(RIGHT)
    with override(one.language):
        expect(page.locator("#price strong")).to_have_text(format_byn(100))
    one.go(one.button_to(f"/pools/{pool.code}/coupon/"))
    one.shows("1;X;2;1;X")
    one.look()
    one.go(one.button_to(f"/pools/{pool.code}/coupon/change/"))
    expect(page.locator(".grid input:checked")).to_have_count(5)
    one.look()
    one.go(one.button_to(f"/pools/{pool.code}/coupon/"))
    one.go(one.button_to(f"/pools/{pool.code}/pay/"))
    placed = Bet.objects.get(player=one.player)
    one.shows(placed.ticket)
    one.look()
    page.reload()
    one.shows("This bet was registered before")
    one.look()
    assert (Bet.objects.filter(player=one.player).count(), money_of(one.player)) == (1, 1_900)
    return placed


def see_it_won(one: Sitting, placed: Bet) -> None:
    """See the bet in play; log in again some days later, and see what it won."""
    one.go(one.link("/my/"))
    assert one.link(f"/my/bets/{placed.ticket}/").count() == 1
    settle(placed.pool, ";".join(RIGHT))
    book_payables(code=placed.pool.code)
    go_to(payable_from(placed.pool))
    credit_accounts(code=placed.pool.code)
    one.log_in("/my/")
    one.go(one.link(f"/my/bets/{placed.ticket}/"))
    with override(one.language):  # of the fund of 1.40 the first level is 0.84, less four kopecks of tax
        expect(one.desk.page.locator("main")).to_contain_text(f"{gettext('Paid')}: {format_byn(80)}")
    one.look()


def withdraw(one: Sitting) -> None:
    """Have money sent to the bank account: read back, proved, then gone from the account."""
    page, bank = one.desk.page, named_bank(one.player)
    held = money_of(one.player)
    one.desk.open("/my/")
    one.go(one.link("/my/withdrawals/"))
    page.locator("input[name=amount]").fill("10,50")
    page.locator(f"[name=instrument][value='{bank.pk}']").check()
    one.go(one.button_to("/my/withdrawals/"))
    one.look()
    one.prove(page.locator("main a[href*='reauthenticate']").first)
    one.look()
    one.go(one.button_to("/my/withdrawals/new/"))
    one.shows("Your withdrawal is noted; where it stands is told below.")
    one.look()
    assert (Withdrawal.objects.get().amount, money_of(one.player)) == (1_050, held - 1_050)


def be_bounded(one: Sitting, pool: Pool) -> None:
    """Set a limit and be refused a bet by it; then be kept from play, and be told so."""
    page = one.desk.page
    one.desk.open("/my/")
    one.go(one.link("/my/limits/"))
    page.locator("[name=kind]").select_option("stake")
    page.locator("[name=amount]").fill("0,50")
    one.go(one.button_to("/my/limits/"))
    one.look()
    one.desk.open(f"/pools/{pool.code}/?coupon=1;X;2;1;X")
    one.go(one.button_to(f"/pools/{pool.code}/coupon/"))
    one.shows("As things stand this bet would not be taken.")
    one.look()
    assert (one.button_to(f"/pools/{pool.code}/pay/").count(), one.link("/my/limits/").count()) == (0, 1)
    one.go(one.button_to(f"/pools/{pool.code}/coupon/change/"))
    expect(page.locator(".grid input:checked")).to_have_count(5)

    one.desk.open("/my/exclusion/")
    page.locator("main select").select_option(index=1)
    one.go(one.button_to("/my/exclusion/"))
    assert not Exclusion.objects.exists()
    one.look()
    for box in page.locator("main input[type=checkbox]").all():
        box.check()
    one.go(one.button_to("/my/exclusion/final/"))
    one.look()
    assert Exclusion.objects.get().person.player == one.player
    assert (Bet.objects.filter(player=one.player).count(), broken()) == (1, [])


@pytest.mark.parametrize(("language", "size"), [("ru", PHONE), ("en", COUNTER)], ids=["ru-phone", "en-counter"])
def test_a_day(
    language: str, size: tuple[int, int], browser: Browser, live_server: LiveServer, provider: FakeProvider
) -> None:
    player, next_pool, pool = make_player(), make_pool(conditions=5, lasts=timedelta(days=30)), make_pool(conditions=5)
    bet_in_cash(pool, make_till(), "2;2;2;2;2", 100)
    with sitting(browser, live_server.url, player, language, size) as one:
        top_up(one, provider)
        see_it_won(one, bet(one, pool))
        withdraw(one)
        be_bounded(one, next_pool)

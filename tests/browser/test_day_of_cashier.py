"""A cashier's whole day in a real browser, by keyboard and scanner alone: few keys, large words, a link that fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from django.utils.translation import gettext, override
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import Shift, Till
from payouts.models import Dispute, LargePayment, Payment
from pools.models import Bet
from pools.services.betting import PlacedBet
from pools.services.printed_tickets import qr_text
from tests.browser.driving import COUNTER, Desk, seated
from tests.browser.looking import faults_of, sticking_out
from tests.carding import at_point
from tests.claiming import approved, make_central, won
from tests.desks import cash_in
from tests.making import make_player, make_pool, make_till
from tests.paying import go_to, money_of, payable_from
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MARKS = "1X2112X1X2X1122"
MOST_KEYS, MOST_STEPS = 20, 3
FROM_TWO_METRES = 60  # pixels: letters of 1 cm and more on a counter's screen
EXPECTED = ("400 (Bad Request)", "409 (Conflict)", "net::ERR_")
SLOW = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
IN_SIGHT = """part => {
    const box = part.getBoundingClientRect(), bar = document.querySelector(".desk-acts").getBoundingClientRect();
    return box.top >= 0 && box.bottom <= Math.min(innerHeight, part.closest(".desk-acts") ? innerHeight : bar.top);
}"""


@dataclass
class Cashier:
    """A cashier without a mouse: every key is counted, and every step, which is a key that sends or opens something."""

    desk: Desk
    looks: bool
    keys: int = 0
    steps: int = 0

    @property
    def page(self) -> Page:
        """The desk's page."""
        return self.desk.page

    @contextmanager
    def act(self) -> Iterator[None]:
        """Do one act of the day in no more steps than are allowed."""
        self.keys = self.steps = 0
        yield
        assert 0 < self.steps <= MOST_STEPS

    def type(self, text: str) -> "Cashier":
        """Type into whatever has the focus; a tab goes on to the next field."""
        self.keys += len(text)
        for number, part in enumerate(text.split("\t")):
            if number:
                self.page.keyboard.press("Tab")
            self.page.keyboard.type(part)
        return self

    def press(self, key: str = "Enter") -> "Cashier":
        """Press a key that sends or opens something."""
        self.keys += 1
        self.steps += 1
        self.page.keyboard.press(key)
        return self

    def ready(self, field: str) -> "Cashier":
        """Wait until the focus is in this field, where one can type."""
        expect(self.page.locator(field)).to_be_focused()
        return self

    def told(self, verdict: str) -> None:
        """Read the verdict from two metres; nothing on the page has a fault or sticks out."""
        shown = self.page.locator(".verdict:visible")
        expect(shown).to_have_text(verdict)
        assert shown.evaluate(IN_SIGHT), verdict
        assert shown.evaluate("part => parseFloat(getComputedStyle(part).fontSize)") >= FROM_TWO_METRES
        self.look()

    def look(self, button: Locator | None = None) -> None:
        """Look at the page as it stands, also one that only a form leads to; its button is in sight."""
        assert button is None or button.evaluate(IN_SIGHT)
        if self.looks:
            assert faults_of(self.page) == [], self.page.locator("h1").inner_text()
            assert sticking_out(self.page, COUNTER[0]) == []


@contextmanager
def cashier_at(till: Till, browser: Browser, address: str, language: str) -> Iterator[Cashier]:
    with seated(browser, address, till.cashier, language=language) as desk, override(language):
        desk.open("/till/")
        yield Cashier(desk, looks=language == "ru")  # pages are built alike in every language: axe looks at them once
        assert [said for said in desk.complaints if not any(known in said for known in EXPECTED)] == []


def ready_to_be_paid(line: int = 100) -> PlacedBet:
    """A ticket that has won 70 % of a line, sold elsewhere, on the first day it is paid."""
    pool, slip = won(make_till(), line)
    go_to(payable_from(pool))
    return slip


@pytest.mark.parametrize("language", ["ru", "en"])
def test_a_day_by_keyboard_alone(language: str, browser: Browser, live_server: LiveServer) -> None:
    slip, till, player = ready_to_be_paid(), make_till(10_000, shift=False), make_player()
    make_pool(conditions=15)
    with cashier_at(till, browser, live_server.url, language) as cashier:
        with cashier.act():
            cashier.press("F9").ready("#id_counted").type("100").press().ready("#id_scan")
        assert Shift.objects.get(till=till).opening_float == 10_000
        sells(cashier, till)
        with cashier.act():
            cashier.press("Escape").type(qr_text(slip.bet, slip.check_code)).press()
            expect(cashier.page.locator(".verdict")).to_contain_text("0,70" if language == "ru" else "0.70")
            cashier.press().told(gettext("PAID"))
        assert Payment.objects.get().till == till
        with cashier.act():
            cashier.press("F7").ready("#id_username").type(f"{player.username}\t12,50").press().ready("#id_given")
            cashier.look(cashier.page.locator("button.large"))
            cashier.press().told(gettext("ACCEPTED"))
        assert money_of(player) == 1_250
        prints_a_receipt(cashier)
        sells_a_card(cashier, till)
        prints_a_copy(cashier)
        ends(cashier, till)


def sells(cashier: Cashier, till: Till) -> None:
    """Sell fifteen matches in at most twenty keys; the coupon that is read back shows its button without scrolling."""
    with cashier.act():
        cashier.type(MARKS).press().ready("#id_given")
        cashier.look(cashier.page.locator("button.large"))
        assert cashier.page.locator(".read-back").inner_text() == ";".join(MARKS)
        cashier.press().told(gettext("ACCEPTED"))
        assert cashier.keys <= MOST_KEYS
    assert cashier.page.locator("[data-key=F2]").evaluate(IN_SIGHT)
    assert (Bet.objects.get(till=till).lines, cash_in(till)) == (1, 10_100)
    cashier.type("*").press().ready("#id_given")  # a quick pick
    cashier.type("1").press().told(gettext("ACCEPTED"))
    assert Bet.objects.filter(till=till, stake=100).count() == 2


def sells_a_card(cashier: Cashier, till: Till) -> None:
    """Sell a prepaid card that is scanned."""
    (card,) = at_point(till)
    with cashier.act():
        cashier.type(card.number).press().ready("#id_given")
        cashier.press().told(gettext("ACCEPTED"))
    assert (card.money, card.card.sold_at_till) == (1_000, till)


def prints_a_receipt(cashier: Cashier) -> None:
    """Print the receipt of what was just taken: one key, a window of its own."""
    with cashier.page.context.expect_event("response", lambda answer: "/receipt/" in answer.url) as printed:
        cashier.press("F2")
    assert printed.value.status == 200


def prints_a_copy(cashier: Cashier) -> None:
    """Print a copy of the last sale: a window of its own, and a record of the journal."""
    with cashier.act(), cashier.page.context.expect_event("response", lambda answer: "/copy/" in answer.url) as printed:
        cashier.press("F6")  # the page before it has an F2 of its own
        expect(cashier.page.locator("form[action*='/copy/'] [data-key=F2]")).to_be_visible()
        cashier.look()
        cashier.press("F2")
    assert printed.value.status == 200
    assert JournalRecord.objects.filter(act="reprint_ticket").count() == 1


def ends(cashier: Cashier, till: Till) -> None:
    """Hand cash over, miscount, say why, and close the shift: nothing is sold any more."""
    with cashier.act():
        cashier.press("F8").ready("#id_amount").type("80").press().told(gettext("HANDED OVER"))
    left = cash_in(till)
    with cashier.act():
        cashier.press("F9").ready("#id_counted").type(f"{left // 100 - 1},{left % 100:02d}").press().ready("#id_reason")
        cashier.type("Given as change.").press().ready("#id_scan")
    assert cashier.page.locator(".messages").inner_text() == gettext("The shift is closed.")
    shift = Shift.objects.get(till=till)
    assert (shift.expected, shift.counted) == (left, left - 100)
    cashier.type(MARKS).press().told(gettext("REFUSED"))  # it is not even read back
    cashier.press().ready("#id_counted").press("Escape").ready("#id_scan")
    assert Bet.objects.filter(till=till).count() == 2


def test_a_large_winning_and_what_its_winner_sees(browser: Browser, live_server: LiveServer) -> None:
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="700", source="A test's")
    forget_legal_numbers()
    slip, till = ready_to_be_paid(1_000), make_central(make_till(1_000))
    with (
        cashier_at(till, browser, live_server.url, "ru") as cashier,
        seated(browser, live_server.url, till.cashier, language="ru") as screen,
    ):
        screen.open("/till/customer/")
        scanned = qr_text(slip.bet, slip.check_code)
        cashier.type(scanned).press()
        expect(screen.page.locator(".verdict")).to_contain_text("7,00")
        assert screen.page.locator(".verdict").inner_text() == cashier.page.locator(".verdict").inner_text()
        cashier.look()
        cashier.page.locator("#id_full_name").focus()
        cashier.type("Янка Купала\tCLAIM00001\t").page.locator("#id_birth_date").fill("1990-05-31")
        cashier.page.locator("#id_document").focus()
        cashier.type("MP1234567").press().ready("#id_scan")
        expect(cashier.page.locator("#id_full_name")).to_have_count(0)
        cashier.look()
        approved(LargePayment.objects.get())
        cashier.type(scanned).press()
        expect(cashier.page.locator("button.large")).to_be_visible()
        cashier.press().told(gettext("PAID"))
        assert "6,65" in cashier.page.locator("h1").inner_text()
        expect(screen.page.locator(".notice.paid")).to_be_visible()
        assert faults_of(screen.page) == []
        assert slip.check_code not in screen.page.content()
        compares(cashier, scanned)
        disputes(cashier, scanned)
        cashier.press("F4").ready("#id_ticket").press("F1")
        expect(cashier.page.locator("#id_mishap")).to_be_visible()
        cashier.ready("#id_ticket").look()


def compares(cashier: Cashier, scanned: str) -> None:
    """Compare a ticket with the register: one key, what it shows, and what differs is told before it is a case."""
    cashier.type(scanned).press()
    expect(cashier.page.locator("#id_coupon")).to_have_count(1)
    with cashier.act():
        cashier.press("F1").ready("#id_coupon").type("X\t10").press().told(gettext("IT DIFFERS"))
    assert not Dispute.objects.exists()
    cashier.press("Escape").ready("#id_scan")


def disputes(cashier: Cashier, scanned: str) -> None:
    """Write down that the customer does not agree with what was told of the ticket."""
    told = cashier.page.locator("details:has(#id_story)")
    cashier.type(scanned).press()
    told.locator("summary").focus()
    cashier.press().page.locator("#id_story").focus()
    cashier.look()
    cashier.type("It won more.\t").press()
    expect(cashier.page.locator(".notice.waits")).to_be_visible()
    cashier.told(gettext("DISPUTE NO. %(number)s") % {"number": Dispute.objects.get().pk})


def test_a_slow_link_and_a_lost_answer(browser: Browser, live_server: LiveServer) -> None:
    slip, till = ready_to_be_paid(), make_till(1_000)
    make_pool(conditions=15)
    with cashier_at(till, browser, live_server.url, "en") as cashier:
        page = cashier.page
        page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
        cashier.type(MARKS).press().type("5").ready("#id_given")  # typed ahead, before the page was there
        expect(page.locator("#id_given")).to_have_value("5")
        cashier.press().press().told("ACCEPTED")  # the key bounced: sent once
        assert page.locator("h1").inner_text() == "The bet is registered"
        assert (Bet.objects.filter(till=till).count(), cash_in(till)) == (1, 1_100)

        for lose, sold_at_once, title in (
            (lost_on_the_way_there, 1, "The bet is registered"),
            (lost_on_the_way_back, 3, "This bet was registered before"),
        ):
            page.route("**/till/sell/", lose, times=1)
            cashier.press("Escape").type(MARKS).press().ready("#id_given").press().told(gettext("NO ANSWER"))
            assert Bet.objects.filter(till=till).count() == sold_at_once
            cashier.press().told("ACCEPTED")
            assert page.locator("h1").inner_text() == title
        assert (Bet.objects.filter(till=till).count(), cash_in(till)) == (3, 1_300)

        page.route("**/till/pay/", lost_on_the_way_back, times=1)
        cashier.type(qr_text(slip.bet, slip.check_code)).press()
        expect(page.locator("button.large")).to_be_visible()
        cashier.press().told(gettext("NO ANSWER"))
        held = cash_in(till)
        cashier.press().told("PAID")
        assert "it is paid once" in page.locator(".note.warn").inner_text()
        assert (Payment.objects.count(), cash_in(till)) == (1, held)
        page.reload()  # asks for the desk; sends nothing
        assert page.url.endswith("/till/")


def lost_on_the_way_there(route: Route) -> None:
    """The link breaks before the server is reached."""
    route.abort("connectionreset")


def lost_on_the_way_back(route: Route) -> None:
    """The server does what is asked, and the link breaks before its answer has come."""
    route.fetch()
    route.abort("connectionreset")

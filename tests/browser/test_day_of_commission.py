"""Two members' whole day in a real browser: evidence, entries that differ, the protocol, signing and sealing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils.translation import gettext, override
from playwright.sync_api import Browser, Locator, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from pools.models import Pool, PoolState, Protocol, ResultEntry
from pools.services.closing import close_pool
from tests.browser.driving import COUNTER, PHONE, Desk, seated
from tests.browser.looking import faults_of, sticking_out
from tests.making import PASSPHRASE, make_pool
from tests.resulting import members_of
from totalizator.core import clock

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MATCHES = 15
RIGHT = "1X21X211X21X2-1"
MISREAD = "1X21X211X21X2-2"
RAIN = "Rain."


@dataclass
class Member:
    """A member of the commission before a browser of their own."""

    desk: Desk
    person: User
    pool: Pool
    size: tuple[int, int]

    def look(self) -> None:
        """Look at the page as it stands, also one that only a form leads to."""
        assert faults_of(self.desk.page) == [], self.desk.page.url
        assert sticking_out(self.desk.page, self.size[0]) == [], self.desk.page.url

    def log_in(self) -> None:
        """Log in with the password, from the desk's address."""
        page = self.desk.page
        self.desk.open("/commission/")
        page.fill("input[name=login]", self.person.username)
        page.fill("input[name=password]", "correct horse battery")
        self.send(page.locator("input[name=password]"))
        assert page.url.endswith("/commission/")

    def send(self, where: Locator) -> None:
        """Press Enter there; a page comes."""
        with self.desk.page.expect_navigation():
            where.press("Enter")

    def start_entering(self) -> None:
        """Go from the desk to the pool that waits."""
        self.desk.open("/commission/")
        self.send(self.desk.page.locator(f"a[href='/commission/{self.pool.code}/result/']"))

    def mark(self, marks: str) -> None:
        """Type the marks: each goes on to the next row; why a match did not take place is asked at once."""
        page = self.desk.page
        page.locator(".grid input[type=radio]").first.focus()
        for row, key in enumerate(marks):
            page.keyboard.press(key)
            if key == "-":
                page.keyboard.type(RAIN)
                page.locator(f"input[name=condition-{row + 2}]").first.focus()
        expect(page.locator("#id_first_started_at_0")).to_be_focused()
        page.keyboard.type(self.pool.closes_at.strftime("%d.%m.%Y %H:%M:%S"))
        page.locator("#id_first_started_at_1").select_option("UTC")

    def enter(self) -> None:
        """Enter what is marked, by the keyboard."""
        self.send(self.desk.page.locator("button.large"))

    def sign(self, passphrase: str = PASSPHRASE) -> None:
        """Sign by passphrase."""
        field = self.desk.page.locator("input[name=passphrase]")
        field.fill(passphrase)
        self.send(field)

    def said(self) -> str:
        """What the site says of what was just done."""
        return self.desk.page.locator(".messages").inner_text()


@contextmanager
def member_at(
    browser: Browser, address: str, pool: Pool, number: int, how: tuple[str, tuple[int, int]]
) -> Iterator[Member]:
    with seated(browser, address, language=how[0], size=how[1]) as desk:
        yield Member(desk, members_of(pool)[number], pool, how[1])
        unwanted = [said for said in desk.complaints if "400 (Bad Request)" not in said]
        assert unwanted == []


@pytest.mark.parametrize(("language", "size"), [("ru", PHONE), ("en", COUNTER)], ids=["ru-phone", "en-counter"])
def test_a_day_of_two_members(
    language: str, size: tuple[int, int], browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    pool = make_pool(conditions=MATCHES)
    close(pool)
    sheet = tmp_path / "sheet.txt"
    sheet.write_text("1X2", encoding="utf-8")
    at = (language, size)
    with (
        override(language),
        member_at(browser, live_server.url, pool, 0, at) as one,
        member_at(browser, live_server.url, pool, 1, at) as other,
    ):
        one.log_in()
        one.start_entering()
        file_on_the_way(one, sheet)
        misread_and_compare(one, other)
        enter_again(one, other)
        read_and_sign(one, other)


def close(pool: Pool) -> None:
    """Close the pool a minute after its announced closing; nothing is filed yet."""
    clock.move_clock(pool.closes_at - clock.now() + timedelta(minutes=1))
    close_pool(code=pool.code, actor="test")


def file_on_the_way(one: Member, sheet: Path) -> None:
    """Mark a match, then file the evidence: the mark stays. Nothing filed: it is said, and nothing is entered."""
    page = one.desk.page
    page.locator(".grid input[type=radio]").first.press("1")
    one.enter()
    assert page.locator(".errorlist").count() >= MATCHES - 1
    one.look()
    page.fill("#id_file-source", "ABFF")
    page.set_input_files("#id_file-file", sheet)
    one.send(page.locator("#id_file-source"))
    assert one.said() == gettext("Filed.")
    assert page.locator("input[name=condition-1]:checked").get_attribute("value") == "1"
    assert (one.pool.evidence.count(), ResultEntry.objects.count()) == (1, 0)
    page.reload()  # files nothing twice
    assert one.pool.evidence.count() == 1


def misread_and_compare(one: Member, other: Member) -> None:
    """Two entries that differ in one place: the second member is shown where."""
    one.mark(RIGHT)
    one.enter()
    assert one.said() == gettext("Your entry is taken. Another member must enter the same.")
    one.desk.page.go_back()  # no form any more: what was entered, to be read
    assert one.desk.page.locator(".grid").count() == 0
    assert RAIN not in one.desk.page.content()
    one.look()
    other.log_in()
    other.start_entering()
    assert other.desk.page.locator("input[type=radio]:checked").count() == 0
    other.mark(MISREAD)
    other.enter()
    assert other.desk.page.url.endswith("/differences/")
    assert other.desk.page.locator("table").first.locator("tbody tr").count() == 1
    other.look()


def enter_again(one: Member, other: Member) -> None:
    """Both enter again; another tab, filled in before the protocol was drawn up, is refused in words."""
    stale = replace(other, desk=Desk(other.desk.page.context.new_page(), other.desk.address))
    for member in (one, other, stale):
        member.start_entering()
        assert member.desk.page.locator("a[href$='/differences/']").count() == 1
        member.mark(RIGHT)
    one.enter()
    other.enter()
    assert other.desk.page.url.endswith("/protocol/")
    stale.enter()
    assert gettext("The protocol of this pool is drawn up.") in stale.desk.page.get_by_role("alert").inner_text()
    stale.look()
    assert (ResultEntry.objects.count(), Protocol.objects.count()) == (4, 1)
    stale.desk.page.close()


def read_and_sign(one: Member, other: Member) -> None:
    """Read the protocol, fail once with the passphrase, sign; the second signature seals; the history has it."""
    page, protocol = other.desk.page, Protocol.objects.get()
    assert RAIN in page.locator(".paper").inner_text()
    other.sign("not this one at all")
    assert page.locator(".errorlist").count() == 1
    other.look()
    other.sign()
    assert other.said() == gettext("Signed. More signatures are needed.")
    one.desk.open(f"/commission/{one.pool.code}/protocol/")
    one.sign()
    assert one.said() == gettext("Signed. The protocol is sealed.")
    one.look()
    protocol.refresh_from_db()
    one.pool.refresh_from_db()
    assert (protocol.sealed_at is not None, one.pool.state) == (True, PoolState.RESULTED)
    one.desk.open("/commission/history/")
    assert protocol.number in one.desk.page.locator("main").inner_text()

"""An organizer's day in a real browser: a pool from a file of matches to its announcement by another, and the desk."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from accounts.models import Role, User
from pools.models import Pool, PoolSketch, PoolState
from tests.browser.driving import COUNTER, PHONE, Desk, seated
from tests.browser.looking import faults_of, sticking_out
from tests.making import make_commission, make_organizers, make_rules, make_user
from totalizator.core import clock

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REFUSED = "the server responded with a status of 400"
"""What a browser notes of a form that came back with a fault."""
HEADING = "Событие;По-белорусски;По-английски;Исходы;Резерв\r\n"
MATCHES = "".join(
    f"Хозяева {n} – Гости {n};;Home {n} – Away {n};1 X 2;{'да' if n > 15 else ''}\r\n" for n in range(1, 18)
)


def go_on(desk: Desk) -> None:
    """Press the button under the form."""
    with desk.page.expect_navigation():
        desk.page.locator("main form .actions button").last.click()


def fits(desk: Desk, name: str) -> None:
    """Be on a step that fits the screen."""
    assert desk.page.url.endswith(f"/{name}/"), desk.page.url
    size = desk.page.viewport_size
    assert size is not None
    assert sticking_out(desk.page, size["width"]) == []


def has_no_fault(desk: Desk, name: str) -> None:
    """Be on a step that fits the screen and has nothing against WCAG 2.2 AA."""
    fits(desk, name)
    assert faults_of(desk.page) == []


def read_matches(desk: Desk, folder: Path) -> None:
    """Choose a file with a fault, then the right one; the faulty one is told by line and column."""
    folder.joinpath("faulty.csv").write_bytes((HEADING + "А – Б;;;1 1;\r\n").encode("cp1251"))
    folder.joinpath("right.csv").write_bytes((HEADING + MATCHES).encode("cp1251"))
    page = desk.page
    page.locator("[name=code]").fill("2612-1")
    page.locator("[name=name_ru]").fill("Тур 12")
    page.locator("[name=name_en]").fill("Round 12")
    for name in ("faulty", "right"):
        page.locator("[name=file]").set_input_files(folder / f"{name}.csv")
        with page.expect_navigation():
            page.locator("button[value=import]").click()
        if name == "faulty":
            told = page.locator("[role=alert] tbody tr").all_inner_texts()
            assert len(told) == 1
            assert told[0].split()[0] == "2"
            assert "Исходы" in told[0]
            assert page.locator("[name=events]").input_value() == ""
    assert page.locator("[name=name_ru]").input_value() == "Тур 12"  # typed before the file, and kept
    assert len(page.locator("[name=events]").input_value().splitlines()) == 15
    assert len(page.locator("[name=reserve]").input_value().splitlines()) == 2


def give_times(desk: Desk) -> None:
    """Type when bets are taken; Back and Forward lose nothing of it."""
    opens = (clock.now() + timedelta(hours=2)).astimezone(ZoneInfo("Europe/Minsk"))
    for name, instant in (("opens_at", opens), ("closes_at", opens + timedelta(days=3))):
        desk.page.locator(f"[name={name}_0]").fill(instant.strftime("%Y-%m-%dT%H:%M"))
    go_on(desk)
    desk.page.go_back()
    desk.page.reload()
    assert desk.page.locator("[name=opens_at_0]").input_value() == opens.strftime("%Y-%m-%dT%H:%M")
    go_on(desk)


def make_up(desk: Desk, folder: Path, look: Callable[[Desk, str], None]) -> None:
    """Make up the pool from the desk's first link to the button that prepares it."""
    desk.open("/desk/")
    with desk.page.expect_navigation():
        desk.page.locator("main a[href='/desk/new-pool/']").click()
    with desk.page.expect_navigation():
        desk.page.locator("form:has([value=sportloto-15]) button").click()
    read_matches(desk, folder)
    look(desk, "events")
    go_on(desk)
    desk.page.locator("[name=share_3]").fill("24.9")
    go_on(desk)
    assert "99" in desk.page.locator(".errorlist").first.inner_text()
    desk.page.locator("[name=share_3]").fill("25")
    desk.page.locator("[name=guarantee_1]").fill("10000")
    look(desk, "money")
    go_on(desk)
    assert desk.page.locator("[name=members]:checked").count() == 3
    look(desk, "commission")
    go_on(desk)
    look(desk, "dates")
    give_times(desk)
    look(desk, "preview")
    assert desk.page.locator("main .grid input").count() == 45
    with desk.page.expect_navigation():
        desk.page.locator("form[action$='/prepare/'] button").click()


def announce(desk: Desk, maker: Desk) -> None:
    """Find the draft in the list of pools and announce it; whoever prepared it has no button for that."""
    assert maker.page.locator("form[action$='/announce/']").count() == 0
    desk.open("/desk/pools/?q=2612&state=draft")
    with desk.page.expect_navigation():
        desk.page.locator("main a[href='/desk/pools/2612-1/']").click()
    with desk.page.expect_navigation():
        desk.page.locator("form[action$='/announce/'] button").click()


def propose_and_approve_role(maker: Desk, checker: Desk, clerk: User) -> None:
    """Give a cashier another role, by two, who see it on their dashboards."""
    maker.open(f"/desk/people/{clerk.pk}/")
    maker.page.locator("main details summary").click()
    maker.page.locator("[name=role]").select_option("commission")
    maker.page.locator("[name=reason]").fill("Избран")
    with maker.page.expect_navigation():
        maker.page.locator("main details form button").click()
    checker.open("/desk/")
    with checker.page.expect_navigation():
        checker.page.locator("main td a[href='/desk/people/']").click()
    with checker.page.expect_navigation():
        checker.page.locator("form[action$='/approve/'] button").click()


@pytest.mark.parametrize(("language", "size"), [("ru", COUNTER), ("en", PHONE)], ids=["ru-desktop", "en-phone"])
def test_a_day(language: str, size: tuple[int, int], browser: Browser, live_server: LiveServer, tmp_path: Path) -> None:
    one, other = make_organizers()
    make_rules(one)
    make_commission()
    clerk = make_user(Role.CASHIER)
    with (
        seated(browser, live_server.url, one, language=language, size=size) as maker,
        seated(browser, live_server.url, other, language=language, size=size) as checker,
    ):
        make_up(maker, tmp_path, has_no_fault if language == "ru" else fits)
        pool = Pool.objects.get()
        assert (pool.code, pool.state, len(pool.terms.conditions)) == ("2612-1", PoolState.DRAFT, 15)
        assert (pool.terms.guarantee, PoolSketch.objects.get().pool) == ({"15": 1_000_000}, pool)
        announce(checker, maker)
        pool.refresh_from_db()
        assert (pool.state, pool.announced_by) == (PoolState.ANNOUNCED, other)
        propose_and_approve_role(maker, checker, clerk)
        clerk.refresh_from_db()
        assert clerk.role == Role.COMMISSION
        checker.open("/desk/")
        assert checker.page.locator("main a[href='/desk/pools/?state=announced']").count() == 1
        said = [complaint for complaint in maker.complaints + checker.complaints if REFUSED not in complaint]
        assert said == []

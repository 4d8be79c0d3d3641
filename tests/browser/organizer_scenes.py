"""What the pictures of the organizer's guide show: each makes what it needs, and opens its page."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from accounts.models import GameAccount, Role
from accounts.services.identity import record_identity
from pools.services.drafting import draft_pool
from tests.banking import csv_line, transfers
from tests.browser.driving import COUNTER, PHONE, Desk
from tests.making import make_player, make_rules, make_terms, make_user
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock

if TYPE_CHECKING:
    from tests.browser.screenshots import Round

HEADING = "Событие;По-белорусски;По-английски;Исходы;Резерв"


def show_waiting(desk: Desk, played: "Round") -> None:
    """Let a withdrawal and two transfers wait, and the dashboard tell of them."""
    ask_back(played.player, 120_000, named_bank(played.player))
    transfers(csv_line(1_250, "на счёт"), csv_line(9_900, "за игру", payer="Кузьмич Пётр"))
    desk.open("/desk/")


def read_events(desk: Desk, played: "Round") -> None:
    """Begin a pool with a template, and fill its events from a file."""
    conditions = played.sale.terms.conditions
    lines = [
        HEADING,
        *(";".join((*(each.name[name] for name in ("ru", "be", "en")), "1 X 2", "")) for each in conditions),
    ]
    desk.open("/desk/new-pool/")
    page = desk.page
    with page.expect_navigation():
        page.locator("form:has([value=sportloto-15]) button").click()
    page.locator("[name=code]").fill("2026-45")
    page.locator("[name=name_ru]").fill("Тур 45")
    page.locator("[name=name_en]").fill("Round 45")
    file = {"name": "45.csv", "mimeType": "text/csv", "buffer": "\r\n".join(lines).encode("cp1251")}
    page.locator("[name=file]").set_input_files(file)  # type: ignore[arg-type]
    with page.expect_navigation():
        page.locator("button[value=import]").click()
    page.evaluate("document.querySelector('[name=file]').closest('fieldset').scrollIntoView()")


def give_shares(desk: Desk, played: "Round") -> None:
    """Go on to the step of the money."""
    read_events(desk, played)
    with desk.page.expect_navigation():
        desk.page.locator("main form .actions button").last.click()
    desk.page.locator("[name=guarantee_1]").fill("10000")
    desk.page.evaluate("document.querySelector('.steps').scrollIntoView()")


def show_draft(desk: Desk, played: "Round") -> None:
    """Look at a draft that somebody else prepared."""
    maker = make_user(Role.ORGANIZER, "zhukovich")
    opens_at = (clock.now() + timedelta(days=1)).astimezone(ZoneInfo("Europe/Minsk")).replace(microsecond=0)
    document = make_terms(
        opens_at=opens_at.astimezone(ZoneInfo("UTC")),
        closes_at=(opens_at + timedelta(days=3)).astimezone(ZoneInfo("UTC")),
        rules_version=make_rules(maker),
        keys=played.keys,
        code="2026-46",
    )
    document["pool"]["name"] = {"ru": "Тур 46", "be": "Тур 46", "en": "Round 46"}
    draft_pool(document=document, prepared_by=maker)
    desk.open("/desk/pools/2026-46/")


def place_transfer(desk: Desk, played: "Round") -> None:
    """Choose whose a transfer is."""
    receipt = transfers(csv_line(2_500, played.player.username))[0]
    desk.open(
        f"/desk/transfers/{receipt.pk}/?outcome=account&account={played.player.username}&q={played.player.username}"
    )


def verify_player(desk: Desk, played: "Round") -> None:
    """Open the form that verifies a player whose document lies on the desk."""
    player = make_player(may_bet=False)
    player.username = "kramko.a"
    player.save()
    record_identity(
        player=player,
        full_name="Анна Крамко",
        birth_date=date(1990, 5, 31),
        identity_number="TESTGUIDE1",
        document="MP1234567",
        actor=player.actor,
    )
    desk.open(f"/desk/players/{GameAccount.objects.get(player=player).pk}/")
    desk.page.locator("#identity summary").first.click()


def show_point(desk: Desk, played: "Round") -> None:
    """Look at the point of the till."""
    desk.open(f"/desk/points/{played.till.point.code}/")


ORGANIZER_SCENES: "tuple[tuple[str, str, tuple[int, int], Callable[[Desk, Round], None]], ...]" = (
    ("organizer", "organizer", COUNTER, show_waiting),
    ("organizer-phone", "organizer", PHONE, lambda desk, _played: desk.open("/desk/")),
    ("organizer-events", "organizer", COUNTER, read_events),
    ("organizer-money", "organizer", COUNTER, give_shares),
    ("organizer-announce", "organizer", COUNTER, show_draft),
    ("organizer-point", "organizer", COUNTER, show_point),
    ("organizer-player", "organizer", COUNTER, verify_player),
    ("organizer-transfer", "organizer", COUNTER, place_transfer),
)

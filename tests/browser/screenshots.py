"""The pictures of README and of the guides, made anew: `make test ARGS="tests/browser/screenshots.py"`.

Debian's chromium-l10n has to be installed, so that the browser's own words are in the picture's language.
Not part of the tests (no file named so is): it writes docs/guide/pictures/{language}/{what}.png. Each person does by
hand and eye what the guide tells, in Russian and English; what is written over is reviewed like any other change.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from pytest_django.live_server_helper import LiveServer

from accounts.models import Role, Till, User
from accounts.services.bank_terms import record_takings_agreement
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import CommissionKey, Pool
from pools.services.drafting import announce_pool, draft_pool
from tests.browser.driving import COUNTER, PHONE, Desk, chromium, seated
from tests.browser.organizer_scenes import ORGANIZER_SCENES
from tests.desks import FIRST, LAST, keeper
from tests.making import (
    bet_from_account,
    bet_in_cash,
    keep_register_fresh,
    make_commission,
    make_organizers,
    make_player,
    make_rules,
    make_terms,
    make_till,
    make_user,
)
from tests.resulting import close_by_clock, draw_up
from tests.settling import settle
from totalizator.core import clock

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PICTURES = Path(__file__).parents[2] / "docs" / "guide" / "pictures"
MOST_BYTES, COLOURS = 60_000, 64
MATCHES = (
    ("Динамо Минск – БАТЭ", "Дынама Мінск – БАТЭ", "Dinamo Minsk – BATE"),
    ("Неман – Гомель", "Нёман – Гомель", "Neman – Gomel"),
    ("Шахтёр – Ислочь", "Шахцёр – Іслач", "Shakhtyor – Isloch"),
    ("Динамо Брест – Витебск", "Дынама Брэст – Віцебск", "Dinamo Brest – Vitebsk"),
    ("Славия – Торпедо-БелАЗ", "Славія – Тарпеда-БелАЗ", "Slavia – Torpedo-BelAZ"),
    ("Минск – Слуцк", "Мінск – Слуцк", "Minsk – Slutsk"),
    ("Арсенал – Сморгонь", "Арсенал – Смаргонь", "Arsenal – Smorgon"),
    ("Днепр – Белшина", "Днепр – Белшына", "Dnepr – Belshina"),
    ("Нафтан – Молодечно", "Нафтан – Маладзечна", "Naftan – Molodechno"),
    ("Орша – Лида", "Орша – Ліда", "Orsha – Lida"),
    ("Барановичи – Волна", "Баранавічы – Хваля", "Baranovichi – Volna"),
    ("Осиповичи – Островец", "Асіповічы – Астравец", "Osipovichi – Ostrovets"),
    ("Полоцк – Бумпром", "Полацк – Бумпрам", "Polotsk – Bumprom"),
    ("Локомотив – Крумкачы", "Лакаматыў – Крумкачы", "Lokomotiv – Krumkachy"),
    ("Макслайн – УВД", "Макслайн – УУС", "Maxline – UVD"),
)
MEMBERS = (("Анна", "Крамко"), ("Павел", "Жук"), ("Ольга", "Сидорук"))
PLACE = {
    "ru": ("Магазин «Старт»", "Минск, ул. Садовая, 5", "Первый банк"),
    "en": ("Start shop", "Minsk, 5 Garden Street", "First Bank"),
}
RIGHT = ";".join("1X21X211X21X2X1")
WON = ";".join("1" + "2" * 14)
"""All but one right in the round that is settled."""


@dataclass(frozen=True)
class Round:
    """Who is in the pictures, and the pools that they see."""

    player: User
    till: Till
    keys: list[CommissionKey]
    organizer: User
    sale: Pool
    decided: Pool
    closed: Pool
    won: str
    slip: tuple[str, str]


def make_round(number: int, keys: list[CommissionKey]) -> Pool:
    """A round of fifteen matches that have their teams' names, on sale."""
    maker, checker = make_organizers()
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    document = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=2, hours=5),
        rules_version=make_rules(maker),
        keys=keys,
        conditions=len(MATCHES),
        code=f"2026-{number}",
    )
    document["pool"]["name"] = {"ru": f"Тур {number}", "be": f"Тур {number}", "en": f"Round {number}"}
    for condition, names in zip(document["conditions"], MATCHES, strict=True):
        condition["name"] = dict(zip(("ru", "be", "en"), names, strict=True))
    for level, right in zip(document["levels"], (len(MATCHES), len(MATCHES) - 1), strict=True):
        level["code"] = str(right)
    draft_pool(document=document, prepared_by=maker)
    pool = announce_pool(code=f"2026-{number}", announced_by=checker)
    clock.move_clock(timedelta(hours=1, seconds=1))
    keep_register_fresh()
    return pool


def play_rounds(language: str) -> Round:
    """One round settled without a winner, so that there is a jackpot; one to be signed, one to enter; one on sale."""
    name, address, bank = PLACE[language]
    record_takings_agreement(number="17-26", bank=bank, valid_from=FIRST, valid_until=LAST, by=keeper())
    keys, player, till = make_commission(), make_player(500_000), make_till(2_000_000)
    name_members(keys)
    till.point.name, till.point.address = name, address
    till.point.save()
    call(player, "yarosh")
    call(till.cashier, "kassir-1")
    organizer = make_user(Role.ORGANIZER, "kovaleva")
    rounds, first = [], ("", ("", ""))
    for number in (41, 42, 43, 44):
        pool = make_round(number, keys)
        chance = random.Random(number)
        for _ in range(40):
            counts = chance.choices((1, 2), weights=(6, 1), k=len(MATCHES))
            line = ";".join("+".join(sorted(chance.sample("1X2", count), key="1X2".index)) for count in counts)
            bet_in_cash(pool, till, line, 100 * 2 ** line.count("+"))
        won = bet_from_account(pool, player, WON if number == 41 else RIGHT, 100).bet.ticket
        slip = bet_in_cash(pool, till, WON, 100)
        rounds.append(pool)
        if number == 41:
            first = won, (slip.bet.ticket, slip.check_code)
            settle(pool, ";".join("2" * len(MATCHES)))
        if number == 42:
            close_by_clock(pool)
            draw_up(pool, RIGHT)
        if number == 43:
            close_by_clock(pool)
    book_payables(code=rounds[0].code)
    credit_accounts(code=rounds[0].code)
    return Round(player, till, keys, organizer, rounds[3], rounds[1], rounds[2], *first)


def name_members(keys: list[CommissionKey]) -> None:
    """Give the members of the commission names, and log-ins that are like them."""
    for key, login in zip(keys, ("kramko", "zhuk", "sidoruk"), strict=True):
        call(key.member, login)
    for key, (first, last) in zip(keys, MEMBERS, strict=True):
        key.member.first_name, key.member.last_name = first, last
        key.member.save()


def call(person: User | None, login: str) -> None:
    """Give somebody a log-in as people have it."""
    assert person is not None
    person.username = login
    person.save()


def enter_by_keys(desk: Desk, played: Round) -> None:
    """Mark some matches of a closed round by keys, as a member of the commission does."""
    desk.open(f"/commission/{played.closed.code}/result/")
    desk.page.locator(".grid input[type=radio]").first.focus()
    for key in "1X21X21":
        desk.page.keyboard.press(key)
    desk.page.evaluate("document.querySelector('.grid').closest('section').scrollIntoView()")


def mark_a_system(desk: Desk, played: Round) -> None:
    """Mark a coupon by the thumb, two of its rows twice."""
    desk.open(f"/pools/{played.sale.code}/")
    for row, marks in enumerate(("1", "X", "12", "1", "X2", "2", "1", "1", "X", "2", "1", "X", "2", "1", "1")):
        for mark in marks:
            desk.page.locator("fieldset").nth(row).locator(f"label:has(input[value='{mark}'])").click()
    desk.page.locator("#price strong").wait_for()
    desk.page.evaluate("document.querySelector('.coupon').scrollIntoView()")


def mark_and_read_back(desk: Desk, played: Round) -> None:
    """Mark a coupon, and let it be read back."""
    desk.open(f"/pools/{played.sale.code}/")
    for row, mark in enumerate(RIGHT.split(";")):
        desk.page.locator("fieldset").nth(row).locator(f"label:has(input[value='{mark}'])").click()
    with desk.page.expect_navigation():
        desk.page.locator("form[action$='/coupon/'] button:not([type=button])").first.click()


def pay(desk: Desk, played: Round) -> None:
    """Pay what was read back: the ticket is shown."""
    mark_and_read_back(desk, played)
    with desk.page.expect_navigation():
        desk.page.locator("form[action$='/pay/'] button").first.click()


def at(path: str) -> Callable[[Desk, Round], None]:
    """Open an address; in it stands the code of the pool on sale or of the one being decided."""
    return lambda desk, played: desk.open(path.format(sale=played.sale.code, decided=played.decided.code))


def set_limits(desk: Desk, played: Round) -> None:
    """Set a limit on what is staked in a week."""
    desk.open("/my/limits/")
    desk.page.locator("[name=kind]").select_option("stake")
    desk.page.locator("[name=amount]").fill("50")
    with desk.page.expect_navigation():
        desk.page.locator("#set button").click()
    desk.page.evaluate("document.querySelector('#kind_2').scrollIntoView()")


def check_ticket(desk: Desk, played: Round) -> None:
    """Check a paper ticket that has won."""
    desk.open("/check/")
    for name, value in zip(("ticket", "check_code"), played.slip, strict=True):
        desk.page.locator(f"main [name={name}]").fill(value)
    with desk.page.expect_navigation():
        desk.page.locator("main form button").click()


def see_what_won(desk: Desk, played: Round) -> None:
    """Open the page of the player's bet that has won."""
    desk.open(f"/my/bets/{played.won}/")


SCENES: tuple[tuple[str, str, tuple[int, int], Callable[[Desk, Round], None]], ...] = (
    ("coupon-phone", "player", PHONE, mark_a_system),
    ("confirm", "player", COUNTER, mark_and_read_back),
    ("ticket-phone", "player", PHONE, pay),
    ("my", "player", COUNTER, at("/my/")),
    ("bet-won-phone", "player", PHONE, see_what_won),
    ("check-phone", "nobody", PHONE, check_ticket),
    ("limits-phone", "player", PHONE, set_limits),
    ("commission", "commission", COUNTER, at("/commission/")),
    ("commission-enter", "commission", COUNTER, enter_by_keys),
    ("commission-enter-phone", "commission", PHONE, enter_by_keys),
    ("commission-history", "commission", COUNTER, at("/commission/history/")),
    ("protocol", "commission", COUNTER, at("/commission/{decided}/protocol/")),
    *ORGANIZER_SCENES,
)


def small(picture: bytes) -> bytes:
    """Write the picture in so few colours that it is small; text stays sharp."""
    few = Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    written = BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()


@pytest.mark.parametrize("language", ["ru", "en"])
def test_pictures(language: str, live_server: LiveServer) -> None:
    played = play_rounds(language)
    people = {"nobody": None, "player": played.player, "cashier": played.till.cashier, "organizer": played.organizer}
    people["commission"] = played.keys[2].member
    folder = PICTURES / language
    folder.mkdir(parents=True, exist_ok=True)
    with chromium(language) as browser:
        for name, who, size, show in SCENES:
            with seated(browser, live_server.url, people[who], language=language, size=size) as desk:
                show(desk, played)
                assert desk.complaints == []
                picture = small(desk.page.screenshot())
                assert len(picture) <= MOST_BYTES, (name, len(picture))
                (folder / f"{name}.png").write_bytes(picture)

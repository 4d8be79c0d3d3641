"""The warning of the risks of play: dated, on every page and every ticket (P3)."""

from datetime import timedelta

import pypdfium2
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import translation

from pools.services.printing import print_ticket
from tests.functional.browsing import text_of, visitor
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.legal_calendar import RISK_WARNING, load_risk_warning
from totalizator.core.models import JournalRecord, RiskWarning
from totalizator.core.risk_warnings import forget_risk_warnings, risk_warning

pytestmark = pytest.mark.django_db
NEW = {"ru": "Новый текст", "be": "Новы тэкст", "en": "New text"}


@pytest.fixture(autouse=True)
def first_warning() -> None:
    forget_risk_warnings()
    load_risk_warning()


def enter(days: int, **changes: str) -> None:
    day = (clock.today() + timedelta(days=days)).isoformat()
    texts = [f"--{name}={text}" for name, text in {**NEW, "address": "help.example", **changes}.items()]
    call_command("set_risk_warning", f"--from={day}", *texts)


def test_it_is_on_pages_in_their_language_from_its_day_on() -> None:
    assert RISK_WARNING["en"] in text_of(visitor().get("/"))
    enter(1)
    assert RISK_WARNING["en"] in text_of(visitor().get("/"))
    clock.move_clock(timedelta(days=1))
    shown = text_of(visitor().get("/"))
    assert "New text" in shown
    assert "help.example" in shown
    with translation.override("be"):
        assert risk_warning(clock.now()) == ("Новы тэкст", "help.example")


def test_a_ticket_carries_the_text_of_the_day_of_its_sale_and_so_does_its_copy() -> None:
    pool, till = make_pool(), make_till()
    placed = bet_in_cash(pool, till, "1;1;1", 100)
    printed = print_ticket(placed, language="ru")
    words = pypdfium2.PdfDocument(printed)[0].get_textpage().get_text_range().split()
    assert " ".join(RISK_WARNING["ru"].split()[:3]) in " ".join(words)
    enter(1)
    clock.move_clock(timedelta(days=2))
    forget_risk_warnings()
    assert print_ticket(placed, language="ru") == printed


@pytest.mark.parametrize(("days", "changes"), [(0, {}), (1, {"be": " "}), (1, {"ru": "я" * 301})])
def test_what_is_shown_already_or_says_nothing_is_refused(days: int, changes: dict[str, str]) -> None:
    with pytest.raises(CommandError):
        enter(days, **changes)
    assert RiskWarning.objects.count() == 1
    assert not JournalRecord.objects.filter(act="set_risk_warning").exists()


def test_one_day_has_one_warning() -> None:
    enter(3)
    with pytest.raises(CommandError, match="entered already"):
        enter(3)
    assert RiskWarning.objects.count() == 2


def test_a_players_page_tells_the_time_and_what_was_won_less_staked() -> None:
    player, pool = make_player(1_000), make_pool("totolot-variant")
    bet_from_account(pool, player, "1", 400)
    page = visitor(player).get("/my/")
    assert page.context["net_results"] == [("24 hours", -400), ("7 days", -400), ("30 days", -400)]
    assert "You have been here for 0 minutes" in text_of(page)
    settle(pool, "1")  # six tenths of the fund come back
    page = visitor(player).get("/my/")
    assert page.context["net_results"][2] == ("30 days", -160)

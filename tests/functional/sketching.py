"""Making up a pool in steps as the organizer does: what each step is sent."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.test import Client

from tests.functional.browsing import hidden, text_of
from totalizator.core import clock

EVENTS = "Динамо – БАТЭ; Дынама – БАТЭ; Dinamo – BATE\nНеман – Гомель\nСлавия – Ислочь"


def events_step(**changes: Any) -> dict[str, Any]:
    step = {"code": "R-1", "name_ru": "Тур", "name_be": "", "name_en": "Round", "outcomes": "1 X 2", "reserve": ""}
    return {**step, "events": EVENTS, **changes}


def money_step(**changes: Any) -> dict[str, Any]:
    step = {"line_price": "1,50", "deduction": "30", "hits_1": "3", "share_1": "60", "hits_2": "2", "share_2": "40"}
    return {**step, "void_condition": "exclude", "min_valid": "2", "max_lines": "1000", **changes}


def totolot_step(**changes: Any) -> dict[str, Any]:
    step = money_step(least="1", most="1000", empty_level="other_levels")
    return {name: value for name, value in step.items() if name not in ("line_price", "deduction")} | changes


def commission_step(keys: Sequence[str], **changes: Any) -> dict[str, Any]:
    return {"members": list(keys), "chair": keys[1], "need": "2", **changes}


def dates_step(**changes: Any) -> dict[str, Any]:
    opens = clock.now() + timedelta(hours=3)
    return {**typed("opens_at", opens), **typed("closes_at", opens + timedelta(days=2)), **changes}


def typed(name: str, instant: datetime) -> dict[str, str]:
    local = instant.astimezone(ZoneInfo("Europe/Minsk"))
    return {f"{name}_0": local.strftime("%Y-%m-%dT%H:%M"), f"{name}_1": "Europe/Minsk"}


def begun(browser: Client, template: str = "sportloto-15") -> str:
    """Begin with a template; return the address under which its steps are."""
    answer = browser.post("/desk/new-pool/", {"template": template})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"]).removesuffix("events/")


def sent(browser: Client, place: str, step: str, fields: dict[str, Any]) -> Any:
    """Open a step and send it, filled in so."""
    page = browser.get(f"{place}{step}/")
    return browser.post(f"{place}{step}/", {"seen": hidden(page, "seen"), **fields})


def said(answer: Any) -> str:
    return text_of(answer).replace("&#x27;", "'").replace("&quot;", '"')

"""The warning of the risks of play: dated texts, shown on every page and printed on every ticket (P3)."""

from datetime import date, datetime
from functools import lru_cache

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.translation import get_language

from totalizator.core import clock
from totalizator.core.models import RiskWarning
from totalizator.engine.deadlines import legal_day


def risk_warning(at: datetime) -> tuple[str, str]:
    """Return the text that is shown on the legal day of `at`, in the language that is active, and where help is found.

    Both are empty when no warning has come into force by then. Kept in the process for ten seconds.
    """
    row = _warning_of(legal_day(at), int(at.timestamp()) // 10)
    if row is None:
        return "", ""
    language = (get_language() or "ru")[:2]
    return {"ru": row.ru, "be": row.be, "en": row.en}.get(language, row.ru), row.address


def on_every_page(_request: HttpRequest) -> dict[str, tuple[str, str]]:
    """Give templates the warning of today as `risk_warning`: its text and address."""
    try:
        return {"risk_warning": risk_warning(clock.lately())}
    except DatabaseError:  # the page that says so must not need what is away
        return {"risk_warning": ("", "")}


@lru_cache(maxsize=64)
def _warning_of(day: date, _ten_seconds: int) -> RiskWarning | None:
    return RiskWarning.objects.filter(valid_from__lte=day).order_by("-valid_from").first()


def forget_risk_warnings() -> None:
    """Read the warnings anew at the next call: for who has just entered one, in this process."""
    _warning_of.cache_clear()

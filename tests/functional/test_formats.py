"""Money, dates and numbers as each language writes them."""

from datetime import UTC, date, datetime

import pytest
from django.template import Context, Template
from django.utils import formats, translation

from totalizator.core.money import format_byn
from totalizator.core.names import localized

NOON = datetime(2026, 5, 31, 9, 5, tzinfo=UTC)
S = "\u00a0"


@pytest.mark.parametrize(
    ("language", "kopecks", "told"),
    [
        ("ru", 123_456, f"1{S}234,56{S}BYN"),
        ("be", 123_456, f"1{S}234,56{S}BYN"),
        ("en", 123_456, f"BYN{S}1,234.56"),
        ("ru", -5, f"\u22120,05{S}BYN"),
        ("en", -100_000_000, f"\u2212BYN{S}1,000,000.00"),
        ("be", 0, f"0,00{S}BYN"),
    ],
)
def test_money(language: str, kopecks: int, told: str) -> None:
    with translation.override(language):
        assert format_byn(kopecks) == told
        shown = Template("{% load parts %}{% money amount %}").render(Context({"amount": kopecks}))
    sign, rest = ("-", -kopecks) if kopecks < 0 else ("", kopecks)
    assert shown == f'<data class="money" value="{sign}{rest // 100}.{rest % 100:02d}">{told}</data>'


@pytest.mark.parametrize(
    ("language", "long", "short", "number"),
    [
        ("ru", f"31 мая 2026{S}г.", "31.05.2026", f"12{S}345,5"),
        ("be", "31 траўня 2026 г.", "31.05.2026", f"12{S}345,5"),
        ("en", "31 May 2026", "31.05.2026", "12,345.5"),
    ],
)
def test_dates_and_numbers(language: str, long: str, short: str, number: str) -> None:
    day = date(2026, 5, 31)
    with translation.override(language):
        assert formats.date_format(day).replace(S, " ") == long.replace(S, " ")
        assert formats.date_format(day, "SHORT_DATE_FORMAT") == short
        assert formats.time_format(datetime(2026, 5, 31, 9, 5, tzinfo=UTC)) == "09:05"
        assert formats.number_format("12345.5", use_l10n=True, force_grouping=True) == number
        assert formats.get_format("FIRST_DAY_OF_WEEK") == 1


@pytest.mark.parametrize("language", ["ru", "be", "en"])
@pytest.mark.parametrize("typed", ["31.05.2026", "2026-05-31"])
def test_a_typed_date_is_read(language: str, typed: str) -> None:
    from django.forms import DateField

    with translation.override(language):
        assert DateField().clean(typed) == date(2026, 5, 31)


@pytest.mark.parametrize(
    ("language", "told", "zone"),
    [
        ("ru", "31.05.2026 12:05", "по Минску"),
        ("be", "31.05.2026 12:05", "па Мінску"),
        ("en", "31 May 2026, 12:05", "Minsk time"),
    ],
)
def test_an_instant_names_its_zone_and_can_be_read_by_programs(language: str, told: str, zone: str) -> None:
    with translation.override(language):
        shown = Template("{% load trade %}{% moment at %}").render(Context({"at": NOON}))
    assert shown == f'<time datetime="{NOON.isoformat()}">{told} <small class="zone">{zone}</small></time>'


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"ru": "Ничья", "be": "Нічыя", "en": "Draw"}, "Нічыя"),
        ({"ru": "Ничья", "en": "Draw"}, "Ничья"),
        ({"en": "Draw"}, "Draw"),
        ({}, "X"),
    ],
)
def test_a_name_falls_back_to_a_language_it_has(names: dict[str, str], told: str) -> None:
    with translation.override("be"):
        assert localized(names, "X") == told

"""Every dated number has a name and a unit that people know, in every language (N4)."""

import pytest
from django.utils import translation

from totalizator.core.errors import DomainError
from totalizator.core.legal_calendar import _SAID_BEFORE, LEGAL_NUMBERS, SWITCHES, source_told
from totalizator.core.legal_words import IN_KOPECKS, NAMES, SHARES, number_asked, value_told, value_typed

FIRST = {name: value for name, _day, value, _source in reversed(LEGAL_NUMBERS)}


def test_every_number_is_named_and_nothing_else_is() -> None:
    assert NAMES.keys() == FIRST.keys()
    assert {name for name, value in FIRST.items() if "/" in value} == SHARES
    assert FIRST.keys() > IN_KOPECKS | SWITCHES
    names = [str(name) for name in NAMES.values()]
    assert len(set(names)) == len(names)
    for language in ("ru", "be", "en"):
        with translation.override(language):
            for name, value in FIRST.items():
                told = f"{number_asked(name)} {value_told(name, value)}"
                assert (name in told, "_" in told, "/" in told) == (False, False, False), told


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("large_winning_from", "1000000", "BYN 10,000.00"),
        ("winning_tax_rate", "1/20", "5 %"),
        ("aml_near_threshold", "4/5", "80 %"),
        ("winning_tax_rate", "1/3", "1/3"),
        ("limit_raise_hours", "24", "24 hours"),
        ("currency_rate_days", "1", "1"),
        ("minimum_age", "21", "21"),
        ("ending_days", "1", "1 day"),
        ("clock_tolerance_milliseconds", "2000", "2000 milliseconds"),
        ("notice_from_hour", "9", "9:00"),
        ("expired_cards_to_jackpot", "1", "yes"),
        ("events_unsent_most", "100000", "100 000"),
    ],
)
def test_a_value_is_read_in_its_unit(name: str, value: str, told: str) -> None:
    with translation.override("en"):
        assert value_told(name, value).replace("\u00a0", " ") == told
        if name != "events_unsent_most" and " " not in told.removeprefix("BYN "):
            assert value_typed(name, told.removeprefix("BYN\u00a0").replace("BYN ", "").replace(",", "")) == value


def test_what_is_typed_wrong_is_refused_and_what_was_said_before_is_said_anew() -> None:
    for name, typed in (("cash_step", "0.001"), ("winning_tax_rate", "-5"), ("winning_tax_rate", "5/0")):
        with pytest.raises(DomainError):
            value_typed(name, typed)
    own = {source for _name, _day, _value, source in LEGAL_NUMBERS}
    for before, now in _SAID_BEFORE.items():
        assert (before in own, now in own, "Kopecks" in now) == (False, True, False)
        with translation.override("en"):
            assert source_told(before) == now

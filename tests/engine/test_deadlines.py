"""Claim terms and legal days: ¶12, ¶40, D-2, D-4."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalizator.engine.deadlines import (
    ClaimTerm,
    claim_term,
    end_of_legal_day,
    legal_day,
    start_of_legal_day,
)

# Days that Belarus did not work around the terms below (weekends and public holidays).
HOLIDAYS = {
    date(2026, 1, 1),
    date(2026, 1, 2),
    date(2026, 1, 7),
    date(2026, 3, 8),
    date(2026, 4, 21),
    date(2026, 5, 1),
    date(2026, 5, 9),
    date(2026, 7, 3),
    date(2026, 11, 7),
    date(2026, 12, 25),
    date(2027, 1, 1),
    date(2027, 1, 2),
    date(2027, 1, 7),
}
WEEKENDS = {day for n in range(2 * 365) if (day := date(2026, 1, 1) + timedelta(days=n)).weekday() > 4}
NON_WORKING = HOLIDAYS | WEEKENDS


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        ("2026-12-05T20:59:59.999999", "2026-12-05"),
        ("2026-12-05T21:00:00", "2026-12-06"),
        ("2026-12-31T21:00:00", "2027-01-01"),
        ("2028-02-28T21:00:00", "2028-02-29"),
        ("2028-02-29T21:00:00", "2028-03-01"),
        ("2026-07-01T20:59:59", "2026-07-01"),  # no summer time: July cuts at the same hour as December
    ],
)
def test_legal_day_turns_at_21_utc_all_year(instant: str, day: str) -> None:
    assert legal_day(utc(instant)) == date.fromisoformat(day)


def test_legal_day_takes_any_time_zone_and_refuses_none() -> None:
    new_york = datetime(2026, 12, 5, 16, 0, tzinfo=timezone(timedelta(hours=-5)))
    assert legal_day(new_york) == date(2026, 12, 6)
    with pytest.raises(ValueError, match="time zone"):
        legal_day(datetime(2026, 12, 5, 16, 0))  # noqa: DTZ001 - the point of the test


def test_a_legal_day_ends_at_the_next_midnight() -> None:
    assert start_of_legal_day(date(2026, 12, 5)) == utc("2026-12-04T21:00:00")
    assert end_of_legal_day(date(2026, 12, 5)) == utc("2026-12-05T21:00:00")
    assert end_of_legal_day(date(2026, 12, 5)).utcoffset() == timedelta(0)


@given(st.integers(1_301_616_000, 2_114_380_800).map(lambda second: datetime.fromtimestamp(second, UTC)))
@settings(max_examples=200, deadline=None)
def test_the_constant_agrees_with_the_time_zone_database(instant: datetime) -> None:
    try:
        minsk = ZoneInfo("Europe/Minsk")
    except ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone database to compare with")
    assert legal_day(instant) == instant.astimezone(minsk).date()
    day = legal_day(instant)
    assert start_of_legal_day(day) <= instant < end_of_legal_day(day)


@pytest.mark.parametrize(
    ("determined", "first", "last", "why"),
    [
        ("2026-03-02T10:00:00", "2026-03-03", "2026-05-25", "R+84, a Monday like R"),
        ("2026-03-02T20:59:59", "2026-03-03", "2026-05-25", "the last second of R in Minsk"),
        ("2026-03-02T21:00:00", "2026-03-04", "2026-05-26", "already the next day in Minsk"),
        ("2026-02-14T12:00:00", "2026-02-15", "2026-05-11", "R+84 is Saturday 9 May, a holiday: to Monday"),
        (
            "2026-04-10T12:00:00",
            "2026-04-11",
            "2026-07-06",
            "R+84 is Friday 3 July, a holiday, before a weekend",
        ),
        ("2026-10-09T12:00:00", "2026-10-10", "2027-01-04", "over New Year: 1 and 2 January, then Sunday"),
        ("2026-10-08T12:00:00", "2026-10-09", "2026-12-31", "31 December is worked"),
    ],
)
def test_d2_sportloto_pays_for_twelve_weeks(determined: str, first: str, last: str, why: str) -> None:
    for game in ("sportloto-variant", "sportloto-position"):
        term = claim_term(game, utc(determined), NON_WORKING)
        assert term.payable_from == start_of_legal_day(date.fromisoformat(first)), why
        assert term.payable_until == end_of_legal_day(date.fromisoformat(last)), why
        assert term.last_day == date.fromisoformat(last)


@pytest.mark.parametrize(
    ("determined", "last", "why"),
    [
        ("2026-03-02T10:00:00", "2026-06-02", "same day of the third month"),
        ("2026-05-31T10:00:00", "2026-08-31", "31 May, and August has 31 days"),
        ("2026-03-31T10:00:00", "2026-06-30", "June has no 31st: its last day"),
        (
            "2026-11-30T10:00:00",
            "2027-03-01",
            "February 2027 has no 30th; its 28th is a Sunday: Monday 1 March",
        ),
        ("2025-11-30T10:00:00", "2026-03-02", "28 February 2026 is a Saturday: Monday 2 March"),
        ("2026-10-01T12:00:00", "2027-01-04", "1 January, 2 January, Sunday 3 January"),
        ("2026-10-07T12:00:00", "2027-01-08", "Orthodox Christmas, then Friday"),
        ("2026-09-30T21:00:00", "2027-01-04", "21:00 UTC is 1 October in Minsk"),
        ("2026-01-21T12:00:00", "2026-04-22", "Radunitsa, a Tuesday"),
        ("2026-12-31T12:00:00", "2027-03-31", "the year turns"),
    ],
)
def test_d4_totolot_pays_for_three_months(determined: str, last: str, why: str) -> None:
    for game in ("totolot-variant", "totolot-position"):
        term = claim_term(game, utc(determined), NON_WORKING)
        assert term.payable_from == end_of_legal_day(legal_day(utc(determined))), why
        assert term.last_day == date.fromisoformat(last), why
        assert term.payable_until == end_of_legal_day(term.last_day)


def test_d4_in_a_leap_year_february_lends_its_29th() -> None:
    assert claim_term("totolot-variant", utc("2027-11-29T10:00:00"), ()).last_day == date(2028, 2, 29)
    assert claim_term("totolot-variant", utc("2027-11-30T10:00:00"), ()).last_day == date(2028, 2, 29)
    assert claim_term("totolot-variant", utc("2028-02-29T10:00:00"), ()).last_day == date(2028, 5, 29)


def test_a_saturday_that_is_worked_is_no_reason_to_extend() -> None:
    """The yearly calendar moves working days onto Saturdays, so the table decides, not the weekday."""
    determined = utc("2026-03-07T10:00:00")  # Saturday; R+84 = Saturday 30 May
    assert claim_term("sportloto-variant", determined, NON_WORKING).last_day == date(2026, 6, 1)
    worked = NON_WORKING - {date(2026, 5, 30)}
    assert claim_term("sportloto-variant", determined, worked).last_day == date(2026, 5, 30)


def test_holidays_inside_a_term_do_not_lengthen_it() -> None:
    inside = {date(2026, 5, 1), date(2026, 4, 21)}
    plain = claim_term("sportloto-variant", utc("2026-03-02T10:00:00"), ())
    assert claim_term("sportloto-variant", utc("2026-03-02T10:00:00"), inside) == plain
    assert plain == ClaimTerm(utc("2026-03-02T21:00:00"), utc("2026-05-25T21:00:00"))


@pytest.mark.parametrize("game", ["custom", "", "lotto"])
def test_a_game_without_a_term_in_law_is_refused(game: str) -> None:
    with pytest.raises(ValueError, match="no claim term"):
        claim_term(game, utc("2026-03-02T10:00:00"), ())

"""Legal days and the terms for claiming a winning: ¶12 (D-2) and ¶40 (D-4).

The law counts in days of Minsk. Belarus has kept UTC+3 all year round since 27 March 2011, so the legal day is a
fixed offset and needs no time zone database, which a bare Python may lack. This is the only module that turns an
instant into a legal day; instants before 2011 are not ours to judge.
"""

from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

MINSK = timezone(timedelta(hours=3), "Europe/Minsk")
SPORTLOTO_WEEKS = 12
TOTOLOT_MONTHS = 3


@dataclass(frozen=True, slots=True)
class ClaimTerm:
    """When a winning can be claimed: `payable_from` <= instant < `payable_until`, both UTC."""

    payable_from: datetime
    payable_until: datetime

    @property
    def last_day(self) -> date:
        """The last legal day on which the winning is paid, as printed on tickets."""
        return legal_day(self.payable_until) - timedelta(days=1)


def legal_day(instant: datetime) -> date:
    """Return the day in Minsk on which an instant falls.

    :raises ValueError: the instant has no time zone
    """
    if instant.utcoffset() is None:
        raise ValueError(f"an instant needs a time zone: {instant.isoformat()}")
    return instant.astimezone(MINSK).date()


def start_of_legal_day(day: date) -> datetime:
    """Return the UTC instant at which a day begins in Minsk."""
    return datetime.combine(day, time(), MINSK).astimezone(UTC)


def end_of_legal_day(day: date) -> datetime:
    """Return the UTC instant at which a day is over in Minsk: the next midnight, itself no longer of that day."""
    return start_of_legal_day(day + timedelta(days=1))


def months_later(day: date, months: int) -> date:
    """Return the same day of the month `months` later, or that month's last day when it has no such day (D-4)."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def working_day(day: date, non_working: Collection[date]) -> date:
    """Return the day itself or, when it is not worked, the next day that is (civil code, art. 194).

    :param non_working: every date that is not worked, Saturdays and Sundays included: the yearly calendar moves
        working days onto some of them, so that only a list of dates tells the truth
    """
    while day in non_working:
        day += timedelta(days=1)
    return day


def claim_term(game: str, determined_at: datetime, non_working: Collection[date]) -> ClaimTerm:
    """Return when winnings of a pool can be claimed, whose result or coefficient was determined at an instant.

    Sportloto: from the next day for 12 weeks (¶12, D-2). Totolot: from the next day for three months (¶40, D-4).
    A term that would end on a day not worked ends with the next working day.

    :param non_working: as for `working_day`, reaching past the end of the term
    :raises ValueError: the law gives the game no term, or the instant has no time zone
    """
    determined = legal_day(determined_at)
    if game.startswith("sportloto-"):
        last = determined + timedelta(weeks=SPORTLOTO_WEEKS)
    elif game.startswith("totolot-"):
        last = months_later(determined, TOTOLOT_MONTHS)
    else:
        raise ValueError(f"the law gives no claim term for the game {game!r}")
    return ClaimTerm(end_of_legal_day(determined), end_of_legal_day(working_day(last, non_working)))

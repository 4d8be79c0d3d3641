"""The whole life of a winning by the calendar: first and last instants of both games, over every odd date (D-2, D-4).

Each pool is bet on, closed, settled and booked with the clock of that day; then the first day, the last instant, the
instant after it, and the jackpot.
"""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest

from accounts.ledger.kinds import AccountKind
from accounts.models import Till, Transfer
from payouts.queries import TicketStanding, ticket_status
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.making import make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips, states_of
from tests.refusals import refused
from tests.settling import jackpot_of, owed, settle
from totalizator.core.errors import Refusal
from totalizator.core.models import NonWorkingDay
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db

MOMENT = timedelta(seconds=2)
# (game, day R in Minsk, last day on which it is paid, why this date)
LIVES = [
    ("sportloto", "2027-01-15", "2027-04-09", "84 days, a Friday"),
    ("sportloto", "2027-10-16", "2028-01-10", "the 84th day is a Saturday: on to Monday, over New Year"),
    (
        "sportloto",
        "2027-10-10",
        "2028-01-03",
        "the 84th day is Sunday 2 January, a holiday: on to Monday",
    ),
    ("sportloto", "2027-12-07", "2028-02-29", "the 84th day is leap day"),
    ("sportloto", "2028-12-31", "2029-03-26", "from New Year's Eve; the 84th day is a Sunday"),
    ("totolot", "2027-01-31", "2027-04-30", "April has no 31st"),
    ("totolot", "2026-12-31", "2027-03-31", "from New Year's Eve into another year"),
    ("totolot", "2027-11-30", "2028-02-29", "February has no 30th, and is a day longer"),
    ("totolot", "2027-11-29", "2028-02-29", "leap day itself"),
    ("totolot", "2028-02-29", "2028-05-29", "from leap day"),
    ("totolot", "2027-02-01", "2027-05-03", "1 May is a holiday and a Saturday: on to Monday"),
    ("totolot", "2027-10-01", "2028-01-03", "three months end on New Year's Day"),
    ("totolot", "2027-12-08", "2028-03-09", "8 March is a holiday"),
]


def day(text: str) -> date:
    return date.fromisoformat(text)


def begins(on: date) -> datetime:
    """Midnight in Minsk."""
    return datetime(on.year, on.month, on.day, tzinfo=UTC) - timedelta(hours=3)


def lived_to_settlement(game: str, determined: date, till: Till) -> tuple[Pool, PlacedBet, PlacedBet]:
    """A pool that two won in cash, its result sealed at noon of day R."""
    noon = begins(determined) + timedelta(hours=12)
    go_to(noon - timedelta(days=1, hours=2))
    pool = make_pool(f"{game}-variant")
    first, second = sell_slips(pool, till, ("1", 100), ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool, first, second


@pytest.mark.parametrize(("game", "determined", "last", "why"), LIVES, ids=[f"{row[0]}-{row[1]}" for row in LIVES])
def test_the_first_and_the_last_instant(game: str, determined: str, last: str, why: str) -> None:
    go_to(begins(day(determined)) - timedelta(days=2))
    till = make_till(10_000)
    pool, first, second = lived_to_settlement(game, day(determined), till)
    from_, until = begins(day(determined) + timedelta(days=1)), begins(day(last) + timedelta(days=1))
    assert (payable_from(pool), payable_until(pool)) == (from_, until), why
    assert not NonWorkingDay.objects.filter(day=day(last)).exists()

    go_to(from_ - MOMENT)
    assert legal_day(from_ - MOMENT) == day(determined)
    refusal = refused(partial(pay, first, till))
    assert (refusal.code, refusal.details) == (Refusal.NOT_PAYABLE_YET, {"payable_from": from_})
    go_to(until - MOMENT)
    assert expire_winnings(code=pool.code) == 0
    assert pay(first, till).handed_over == (66 if game == "sportloto" else 57)

    go_to(until)
    refusal = refused(partial(pay, second, till))
    assert (refusal.code, refusal.details) == (Refusal.TERM_EXPIRED, {"payable_until": until})
    assert ticket_status(second.bet.ticket, second.check_code).standing == TicketStanding.EXPIRED
    assert expire_winnings(code=pool.code) == 1
    transfer = Transfer.objects.get(kind="jackpot_unclaimed")
    assert (transfer.book, transfer.cause) == (pool.pk, f"bet:{second.bet.ticket}")
    won = 70 if game == "sportloto" else 60
    assert (jackpot_of(pool.game), owed(AccountKind.WINNINGS_DUE, pool)) == (won, 0)
    assert states_of(pool) == {first.bet.ticket: "paid", second.bet.ticket: "expired"}
    assert expire_winnings(code=pool.code) == 0
    assert broken() == []


@pytest.mark.parametrize("game", ["sportloto", "totolot"])
def test_it_is_paid_from_the_first_instant_of_the_day_after(game: str) -> None:
    go_to(begins(date(2027, 12, 29)))
    till = make_till(10_000)
    pool, first, _second = lived_to_settlement(game, date(2027, 12, 31), till)
    go_to(begins(date(2028, 1, 1)))
    payment = pay(first, till)
    assert payment.paid_at - begins(date(2028, 1, 1)) < timedelta(seconds=30)
    assert pool.payments.count() == 1


def test_a_moved_holiday_moves_the_last_day() -> None:
    """The calendar is a table: a working day that the government moves counts as the table says."""
    go_to(begins(date(2027, 1, 13)))
    NonWorkingDay.objects.create(day=date(2027, 4, 9), name="moved")
    pool, _first, _second = lived_to_settlement("sportloto", date(2027, 1, 15), make_till())
    assert payable_until(pool) == begins(date(2027, 4, 13))  # Friday off, the weekend, then Monday 12 April

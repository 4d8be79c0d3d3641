"""The organizer's dashboard as a page: the day's money, pools by state, terms of refunds, and what it costs to ask."""

import re
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from accounts.models import Role
from payouts.queries.refund_terms import limitation_end, refund_deadline
from payouts.queries.today import money_of_day
from payouts.queries.waiting.of_refunds import late_refunds
from payouts.queries.waiting.of_the_system import unseen_events
from payouts.services.jackpot import add_to_jackpot
from payouts.services.significant_events import acknowledge_event
from payouts.tasks import book_due_payables
from payouts.views.waiting_sources import SOURCES
from pools.models import Channel, PoolState
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.telling_bets import number_what_happened
from tests.cancelled_pools import cancel
from tests.carding import bought
from tests.functional.browsing import text_of, visitor
from tests.making import bet_in_cash, make_organizers, make_player, make_pool, make_till, make_user
from tests.reporting import random_days, report, today
from totalizator.core import clock
from totalizator.engine.deadlines import MINSK, legal_day

pytestmark = pytest.mark.django_db
MOST_QUERIES = 17
LARGE = (
    "pools_bet",
    "pools_winning",
    "payouts_payable",
    "payouts_payment",
    "core_journalrecord",
    "core_outboxevent",
    "accounts_withdrawal",
    "accounts_paymentorder",
    "accounts_receipt",
    "accounts_bankline",
    "accounts_entry",
    "accounts_transfer",
)
INDEXES = (
    "pools_bet_by_time",
    "pools_winning_large",
    "payouts_to_return",
    "payouts_paid_by_time",
    "core_journal_but_bets",
    "core_pending_in_order",
    "accounts_withdrawals_open",
    "accounts_orders_to_export",
    "accounts_receipts_open",
    "accounts_unmatched_open",
    "accounts_deposits_held",
    "accounts_doubtful_lines",
    "accounts_cases_waiting",
    "_live_claim",  # either of the two partial ones
    "payouts_one_open_dispute_a_ticket",
)


def test_l1_returned_stakes_are_overdue_as_the_terms_say() -> None:
    (one, other), pool = make_organizers(), make_pool("sportloto-variant")
    bet_in_cash(pool, make_till(), "1", 100)
    propose_cancellation(code=pool.code, reason="Rain", document="17", proposed_by=one)
    cancelled_at = approve_cancellation(code=pool.code, approved_by=other).cancelled_at
    book_due_payables()
    overdue, decidable = refund_deadline(cancelled_at), limitation_end(cancelled_at)
    before = timedelta(seconds=1)
    instants: list[tuple[datetime, list[bool]]] = [(overdue - before, []), (overdue, [False])]
    for now, expected in (*instants, (decidable - before, [False]), (decidable, [True])):
        with translation.override("en"):
            lines = late_refunds(now)
        assert [("decision of two" in line.about) for line in lines] == expected, now
        assert all(line.due == overdue for line in lines)


def test_n1_todays_money_is_what_the_report_of_sales_says() -> None:
    till = make_till(1_000_000)
    players = [make_player(100_000) for _ in range(2)]
    (card,) = bought(till)
    first = today()
    random_days(Random(7), [till], players, card, pools=2)
    seen: set[str] = set()
    day = first
    while day <= today():
        sales = report("sales", day, day)
        by_channel: dict[str, list[int]] = {}
        for row in sales.rows:
            figures = dict(zip([column.name for column in sales.kind.columns], row, strict=True))
            sums = by_channel.setdefault(str(figures["channel"]), [0, 0, 0, 0])
            for place, name in enumerate(("bets", "sales", "paid", "returned")):
                sums[place] += int(figures[name])
        expected = {channel: sums for channel, sums in by_channel.items() if any(sums)}
        ours = {
            str(row.channel.label): [row.bets, row.sold, row.paid, row.returned]
            for row in money_of_day(day, clock.now()).channels
        }
        assert ours == expected, day
        seen |= ours.keys()
        day += timedelta(days=1)
    assert len(seen) > 1


def test_the_page_shows_the_days_money_and_leads_to_the_pools_of_each_state() -> None:
    pool, till = make_pool(), make_till()
    bet_in_cash(pool, till, "1;X;2", 100)
    bet_in_cash(pool, till, "1;X;1", 100)
    number_what_happened()
    staff = make_user(Role.ORGANIZER)
    for event in unseen_events(clock.now() + timedelta(seconds=1)):
        acknowledge_event(key=event.key, words="So it is", acknowledged_by=staff)
    page = visitor(staff).get("/desk/")
    text = text_of(page)
    assert "BYN 2.00 sold, 2 bets BYN 0.00 winnings paid BYN 0.00 stakes returned" in text
    assert f"{Channel.CASH.label} 2 BYN 2.00 BYN 0.00 BYN 0.00" in text
    pool.refresh_from_db()
    assert f'<strong>1</strong><a href="/desk/pools/?state={pool.state}">' in page.content.decode()
    assert pool.state in (PoolState.OPEN, PoolState.ANNOUNCED)
    assert "Nothing waits for you." in text


def test_the_page_asks_few_questions_and_none_that_reads_all_of_a_large_table(
    django_assert_max_num_queries: Any,
) -> None:
    add_to_jackpot(game="totolot", amount=5_000, document="Order 1", actor=make_user(Role.ORGANIZER))
    clock.move_clock(timedelta(days=(date(clock.today().year + 1, 11, 1) - clock.today()).days))
    staff = visitor(make_user(Role.ORGANIZER))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert staff.get("/desk/").status_code == 200  # what a process keeps for ten seconds is read
    with django_assert_max_num_queries(MOST_QUERIES) as asked:
        assert staff.get("/desk/").status_code == 200
    plans = "\n".join(plan_of(query["sql"]) for query in asked.captured_queries if "SELECT" in (query["sql"] or ""))
    assert {index for index in INDEXES if index not in plans} == set()
    assert {table for table in LARGE if f"Seq Scan on {table} " in plans} == set()


def plan_of(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + query.strip())
        return "\n".join(line for (line,) in cursor.fetchall())


def test_what_is_no_source_is_not_there_and_nobody_else_gets_in() -> None:
    assert visitor(make_user(Role.ORGANIZER)).get("/desk/waiting/chess/").status_code == 404
    for role in (Role.CASHIER, Role.COMMISSION, Role.PLAYER, Role.REGULATOR):
        assert visitor(make_user(role)).get("/desk/").status_code == 403
        assert visitor(make_user(role)).get("/desk/waiting/aml/").status_code == 403


@pytest.mark.parametrize("language", ["ru", "be", "en"])
def test_every_source_is_listed_in_each_language(language: str) -> None:
    cancel(make_pool())
    staff = visitor(make_user(Role.ORGANIZER), language)
    assert staff.get("/desk/").status_code == 200
    for source in SOURCES:
        assert staff.get(f"/desk/waiting/{source.name}/").status_code == 200, source.name


def test_n1_the_days_turnover_is_drawn_by_the_hour() -> None:
    caches["process"].clear()
    pool, organizer = make_pool(), make_user(Role.ORGANIZER)
    assert 'role="img"' not in visitor(organizer).get("/desk/").content.decode()  # nothing is staked
    sell_at = make_till()
    bet_in_cash(pool, sell_at, "1;X;2", 100)
    clock.move_clock(timedelta(hours=1))
    bet_in_cash(pool, sell_at, "1;X;1+2", 200)
    caches["process"].clear()
    hours = dict(money_of_day(legal_day(clock.now()), clock.now()).turnover)
    assert list(hours) == list(range(24))
    expected: dict[int, int] = {}
    for bet in pool.bets.all():
        if legal_day(bet.registered_at) == legal_day(clock.now()):
            hour = bet.registered_at.astimezone(MINSK).hour
            expected[hour] = expected.get(hour, 0) + bet.stake
    assert {hour: amount for hour, amount in hours.items() if amount} == expected
    assert 'role="img"' in visitor(organizer).get("/desk/").content.decode()


def test_n1_what_is_final_is_counted_once_and_the_figures_stay_exact() -> None:
    pool, till, day = make_pool(), make_till(), legal_day(clock.now())
    bet_in_cash(pool, till, "1;X;2", 100)
    clock.move_clock(timedelta(hours=3))
    assert legal_day(clock.now()) == day
    assert [(row.bets, row.sold) for row in money_of_day(day, clock.now()).channels] == [(1, 100)]
    bet_in_cash(pool, till, "1;X;1+2", 200)
    with CaptureQueriesContext(connection) as asked:
        found = money_of_day(day, clock.now())
    since = re.search(r"registered_at >= '([^']+)'", asked.captured_queries[-1]["sql"])
    assert since is not None
    assert datetime.fromisoformat(since.group(1)) > pool.bets.earliest("registered_at").registered_at
    assert [(row.bets, row.sold) for row in found.channels] == [(2, 300)]
    caches["process"].clear()
    assert money_of_day(day, clock.now()) == found

"""docs/sizing.md says what the model says, and the model reckons with the bytes of the real tables."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest
from django.db import connection

from bench.costs import growth_of
from deploy.sizing import ROWS, Costs, Day, page_tables
from tests.architecture.sources import ROOT
from tests.making import bet_from_account, make_player, make_pool

PAGE = (ROOT / "docs" / "sizing.md").read_text(encoding="utf-8")
BETS = 200


def test_the_tables_of_the_page_are_those_of_the_model() -> None:
    told = dict(re.findall(r"<!-- ([\w-]+) -->\n(.*?)\n<!-- /\1 -->", PAGE, re.DOTALL))
    assert told == page_tables()


def test_the_figures_in_the_text_are_those_of_the_model() -> None:
    day, costs = Day(), Costs()
    for figure in (
        f"= {day.peak:,} bets a second",
        f"{day.web_cores} cores of web processes",
        f"half full {day.server_cores}: {day.workers} workers of {day.cores} cores",
        f"{costs.journal:,} bytes | full pages",
        f"{costs.program_us:,} µs of a core",
        f"{costs.server_us:,} µs of a core",
        f"{day.peak:,} bets/s × {costs.program_us + costs.http_us:,} µs",
        f"{day.peak:,} × {costs.journal:,} bytes = {day.journal_rate // 10**6} MB/s",
        f"are {day.stored_daily // 10**9} GB; {day.online_days} days {day.online // 10**12} TB",
        f"{day.network_in // 10**6} Mbit/s, to it go {day.network_out // 10**6} Mbit/s",
    ):
        assert figure in PAGE, figure


def test_more_bets_never_need_fewer_machines() -> None:
    days = [Day(bets=bets) for bets in (10**5, 10**6, 10**7, 10**8, 10**9)]
    for small, large in pairwise(days):
        assert small.web_machines <= large.web_machines
        assert small.workers <= large.workers
        assert small.archive < large.archive
    assert Day(bets=Day().on_one_server).by_cores == 1
    assert Day(bets=Day().on_one_server * 11 // 10).by_cores == 2
    assert isinstance(Day().busy, Fraction)


@pytest.mark.django_db
def test_a_bet_leaves_the_rows_and_bytes_that_the_model_reckons_with() -> None:
    pool = make_pool(conditions=15)
    player = make_player(2 * BETS * 100)
    marks = ";".join("1" * 15)

    def place() -> None:
        for _ in range(BETS):
            bet_from_account(pool, player, marks, 100)

    place()  # no index begins at nothing
    before = bytes_of_copies()
    grown = growth_of(place)
    told = {one.table: one for one in ROWS}
    assert {table: Fraction(one.rows, BETS) for table, one in grown.items()} == {
        table: Fraction(one.rows) for table, one in told.items()
    }
    measured = bytes_of_copies() - before
    # A page of 8 KB is the least that a table or an index grows by, and a new index page is half empty.
    assert Costs().stored * BETS * 7 // 10 <= measured <= Costs().stored * BETS * 15 // 10 + 8192 * len(grown)


def bytes_of_copies() -> int:
    """Return the bytes of the model's tables, written anew: in the tables rows fill what others left free."""
    total = 0
    with connection.cursor() as cursor:
        for one in ROWS:
            cursor.execute(f"CREATE TEMPORARY TABLE written_anew (LIKE {one.table} INCLUDING ALL)")
            cursor.execute(f"INSERT INTO written_anew SELECT * FROM {one.table} ORDER BY ctid")
            cursor.execute("SELECT pg_table_size('written_anew') + pg_indexes_size('written_anew')")
            total += cursor.fetchone()[0]
            cursor.execute("DROP TABLE written_anew")
    return total

"""The archive of results: every pool that is over, found by game and month, each with what proves it (H2, X14)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pools.models import LogEntry, LogKind, Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.views.results import RESULTS_A_PAGE
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_organizers, make_pool
from tests.many_pools import copy_settled
from tests.settling import sell, settle
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15


def codes(answer: Any) -> list[str]:
    return re.findall(r'<small>[^<]* <span class="code">([^<]+)</span></small>', answer.content.decode())


def test_every_pool_that_is_over_is_there_with_what_proves_it() -> None:
    assert "No pool is over yet." in text_of(visitor().get("/results/"))
    keys = make_commission()
    pool, never = make_pool(keys=keys, opens_in=timedelta(minutes=1)), make_pool(keys=keys, is_open=False)
    sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    assert codes(visitor().get("/results/")) == []
    one, other = make_organizers()
    propose_cancellation(code=never.code, reason="Rain.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=never.code, approved_by=other)
    settle(pool, "1;X;2")
    answer = visitor().get("/results/")
    assert codes(answer) == [pool.code, never.code]  # the cancelled one ended before
    page = answer.content.decode()
    line = LogEntry.objects.get(subject=pool.code, kind=LogKind.SETTLEMENT)
    links = {
        f"/pools/{pool.code}/result/",
        f"/pools/{pool.code}/protocols/1.pdf",
        f"/pools/{pool.code}/money/",
        f"/pools/{pool.code}/bundles/1.zip",
        f"/log/?page=1#line-{line.index}",
        f"/pools/{never.code}/result/",
    }
    assert links <= set(re.findall(r'href="([^"]+)"', page))
    for link in links:
        assert visitor().get(link).status_code == 200, link
    assert f'id="line-{line.index}"' in visitor().get("/log/").content.decode()
    assert "1 X 2 BYN 0.84 level all: 1 winning line BYN 2.00 Protocol (PDF)" in text_of(answer)


def test_results_are_found_by_game_year_month_and_name() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    settle(pool, "1;X;2")
    made = copy_settled(pool, 400)  # a day between them: more than a year
    pool.refresh_from_db()
    assert pool.closed_at is not None
    ended = {one.code: legal_day(one.closed_at) for one in (pool, *made) if one.closed_at is not None}
    newest = legal_day(pool.closed_at)
    before = newest.replace(day=1) - timedelta(days=1)
    for asked, wanted in (
        (f"year={newest.year}", {code for code, day in ended.items() if day.year == newest.year}),
        (
            f"year={before.year}&month={before.month}",
            {code for code, day in ended.items() if (day.year, day.month) == (before.year, before.month)},
        ),
        ("year=&game=sportloto-position&q=c-40", {"C-40", "C-400"}),
        ("game=totolot-variant", set()),
    ):
        answer = visitor().get(f"/results/?{asked}")
        assert f"{len(wanted)} pool" in text_of(answer) if wanted else "is like that" in text_of(answer), asked
        assert set(codes(answer)) <= wanted
        assert len(codes(answer)) == min(len(wanted), RESULTS_A_PAGE)
    assert codes(visitor().get("/results/?page=2"))[0] == f"C-{RESULTS_A_PAGE}"
    kept = visitor().get(f"/results/?game=sportloto-position&year={before.year}&month={before.month}&page=2")
    assert f'href="?game=sportloto-position&amp;year={before.year}&amp;month={before.month}&amp;page=1"' in (
        kept.content.decode()
    )
    december = visitor().get(f"/results/?year={newest.year}&month=12")
    assert december.status_code == 200


@pytest.mark.parametrize("asked", ["month=3", "year=1900", "year=x&month=13", "game=chess"])
def test_what_cannot_be_asked_is_said_at_its_field(asked: str) -> None:
    answer = visitor().get(f"/results/?{asked}")
    assert answer.status_code == 400
    assert 'class="errorlist"' in answer.content.decode()


def test_a_thousand_results_cost_no_more_questions_than_one() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    settle(pool, "1;X;2")
    copy_settled(pool, 1_000)
    caches["process"].clear()
    for path in ("/results/", "/results/?page=40", "/results/?q=match+1"):
        with CaptureQueriesContext(connection) as asked:
            answer = visitor().get(path)
        assert answer.status_code == 200
        assert len(asked) <= MOST_QUERIES, path
        assert len(answer.content) < 60_000, path
    assert Pool.objects.count() == 1_001

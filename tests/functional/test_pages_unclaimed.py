"""Unclaimed winnings: public totals by pool, point and last day, and one's own ticket by its code (X10, D-13, C61)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from payouts.queries.unclaimed import UnclaimedMoney, summed_by_point, summed_by_pool, summed_by_term
from payouts.services.booking import book_payables
from payouts.views.ticket_lookup import TRIES
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.settling import settle
from totalizator.core import clock

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()
    cache.clear()


def rows(answer: Any) -> list[str]:
    found = re.findall(r'<tr role="row">\s*<td.*?</tr>', answer.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).replace("\u00a0", " ").split()) for row in found]


def test_x10_the_totals_by_pool_point_and_day_are_the_same_money_and_name_no_ticket() -> None:
    assert "Nothing waits to be claimed." in text_of(visitor().get("/unclaimed/"))
    caches["process"].clear()
    keys, first, second = make_commission(), make_till(), make_till(10_000)
    pool = make_pool(keys=keys)
    slips = [*sell_slips(pool, first, ("1;X;2", 100), ("1;X;2", 100)), *sell_slips(pool, second, ("1;X;2", 100))]
    settle(pool, "1;X;2")  # 3 lines share 1.26 of level all and win nothing else
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    answer = visitor().get("/unclaimed/")
    assert "BYN 1.26 waits to be paid, before income tax 3 tickets" in text_of(answer)
    (row,) = rows(answer)
    assert row.startswith(f"Pool {pool.code}")
    assert row.endswith("3 BYN 1.26 BYN 0.00")
    by_point = rows(visitor().get("/unclaimed/?by=point"))
    assert [(row.split()[-5], row.endswith("BYN 0.00")) for row in by_point] == [("2", True), ("1", True)]
    assert first.point.code in by_point[0]
    assert "BYN 0.84" in by_point[0]
    (by_term,) = rows(visitor().get("/unclaimed/?by=term"))
    assert by_term.endswith("3 BYN 1.26 BYN 0.00")
    assert rows(visitor().get("/unclaimed/?by=nonsense")) == [row]
    for path in ("/unclaimed/", "/unclaimed/?by=point", "/unclaimed/?by=term"):
        page = visitor().get(path).content.decode()
        assert not any(slip.bet.ticket in page or slip.check_code in page for slip in slips)
    pay(slips[2], second)
    caches["process"].clear()
    assert "BYN 0.84 waits to be paid" in text_of(visitor().get("/unclaimed/"))


def test_x10_a_holder_learns_of_one_ticket_and_who_guesses_of_none() -> None:
    pool = make_pool()
    (slip, other) = sell_slips(pool, make_till(), ("1;X;2", 100), ("2;2;1", 100))
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    mine = visitor().post("/unclaimed/", {"ticket": slip.bet.ticket, "check_code": slip.check_code})
    assert mine.status_code == 200
    assert "To be paid: BYN 0.84" in text_of(mine)
    assert mine["Cache-Control"].startswith("max-age=0")
    answers = [
        visitor().post("/unclaimed/", form)
        for form in (
            {"ticket": slip.bet.ticket, "check_code": other.check_code},  # a ticket that won, a code of another
            {"ticket": other.bet.ticket, "check_code": slip.check_code},  # one that did not
            {"ticket": f"{pool.code}-0000000000", "check_code": slip.check_code},  # one that there is not
            {"ticket": "nothing", "check_code": "0"},
        )
    ]
    told = {(answer.status_code, _without_what_was_typed(answer)) for answer in answers}
    assert len(told) == 1
    assert visitor().post("/unclaimed/", {"ticket": "", "check_code": ""}).status_code == 400


def _without_what_was_typed(answer: Any) -> str:
    page = re.sub(r'value="[^"]*"', "", answer.content.decode())
    return re.sub(r"\s+", " ", page)


def test_c61_guesses_on_either_page_count_together_and_are_slowed_down() -> None:
    pool = make_pool()
    (slip,) = sell_slips(pool, make_till(), ("1;X;2", 100))
    wrong, right = ({"ticket": slip.bet.ticket, "check_code": code} for code in ("0000", slip.check_code))
    for number in range(TRIES):
        path = "/check/" if number % 2 else "/unclaimed/"
        assert Client().post(path, wrong).status_code == 400
    for path in ("/check/", "/unclaimed/"):
        for form in (wrong, right):  # not even the right code is answered now
            refused = visitor().post(path, form)
            assert refused.status_code == 429
            assert slip.bet.ticket in refused.content.decode()  # as it was typed
            assert "In play" not in text_of(refused)
    assert visitor().get("/unclaimed/").status_code == 200


def test_sums_keep_every_kopeck_and_the_earliest_end() -> None:
    now = clock.now()
    later = now + timedelta(days=3)
    found = [
        UnclaimedMoney("A", "P1", "Point one", later, 2, 500, 0),
        UnclaimedMoney("A", "P2", "Point two", now, 1, 300, 70),
        UnclaimedMoney("B", "P1", "Point one", None, 4, 0, 900),
    ]
    pools = [(each.key, each.until, each.tickets, each.winnings, each.refunds) for each in summed_by_pool(found)]
    assert pools == [("A", now, 3, 800, 70), ("B", None, 4, 0, 900)]
    points = [(each.key, each.name, each.until, each.amount) for each in summed_by_point(found)]
    assert points == [("P1", "Point one", later, 1_400), ("P2", "Point two", now, 370)]
    terms = [(each.until, each.amount) for each in summed_by_term(found)]
    assert terms == [(now, 370), (later, 500), (None, 900)]


def test_many_pools_and_points_are_read_in_few_questions_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool()
    many = [UnclaimedMoney(pool.code, f"P{number}", f"Point {number}", None, 1, 100, 0) for number in range(3_000)]
    monkeypatch.setattr("payouts.queries.unclaimed.unclaimed_money", lambda _now: many)
    with CaptureQueriesContext(connection) as asked:
        answer = visitor().get("/unclaimed/?by=point&page=2")
    assert len(asked) <= 10
    assert len(rows(answer)) == 50
    assert 'href="?by=point&amp;page=3"' in answer.content.decode()
    assert "BYN 3,000.00 waits to be paid" in text_of(answer)

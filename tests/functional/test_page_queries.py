"""What each public page, the player's own and the staff's ask the database at most: for many pools as for two."""

import gc
import sys
from collections.abc import Mapping

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Role, User
from payouts.services.booking import book_payables
from pools.models import Pool
from tests.functional.browsing import visitor
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.many_pools import copy_open, copy_settled
from tests.paying import sell_slips
from tests.settling import settle
from totalizator.core.starting import be_ready

pytestmark = pytest.mark.django_db
MOST: Mapping[str, int] = {
    "/": 13,
    "/results/": 12,
    "/how/": 12,
    "/unclaimed/": 8,
    "/jackpot/sportloto/": 11,
    "/check/": 3,
    "/status/": 8,
    "/log/": 6,
    "/rules/": 6,
    "/errors/": 3,
    "/pools/{on_sale}/": 11,
    "/pools/{on_sale}/figures/": 6,
    "/pools/{on_sale}/what-if/": 7,
    "/pools/{on_sale}/money/": 10,
    "/pools/{settled}/": 15,
    "/pools/{settled}/money/": 15,
    "/pools/{settled}/late/": 9,
    "/pools/{settled}/alive/": 6,
    "/t/{ticket}/": 15,
}
"""Two more than were asked when this was written, and never more than fifteen."""
MOST_MINE = 15  # of /my/
MOST_OF: Mapping[str, Mapping[str, int]] = {
    "player": {"/my/bets/{ticket}/": 17, "/my/withdrawals/": 18, "/my/tickets/": 13, "/my/alive/": 6},
    "cashier": {"/till/": 14, "/till/sales/": 20},
    "commission": {"/commission/": 19, "/commission/history/": 12},
    "organizer": {
        "/desk/": 23,
        "/desk/events/": 8,
        "/desk/result-claims/": 8,
        "/desk/refunds/": 7,
        "/desk/refunds/{settled}/": 16,
        "/desk/unpaid/": 8,
        "/desk/jackpots/": 14,
        "/desk/pools/": 7,
        "/desk/pools/{settled}/": 19,
        "/journal/": 6,
    },
}
"""The same of pages for who is logged in."""


def asked(client: Client, address: str) -> int:
    """How many statements a page takes that was asked for within the last minute, as it was before."""
    caches["process"].clear()
    client.get(address)
    counts = []
    for _ in range(2):  # what is kept for seconds may be read again in one of them, where the machine is busy
        with CaptureQueriesContext(connection) as statements:
            assert client.get(address).status_code == 200, address
        counts.append(len(statements))
    return min(counts)


def member_of(pool: Pool) -> User:
    """Somebody who decides the pool."""
    return pool.members.select_related("member").order_by("pk")[0].member


def test_no_page_asks_more_for_more_pools() -> None:
    pool, player = make_pool(), make_player(10_000)
    tickets = [bet_from_account(pool, player, row, 100).bet.ticket for row in ("1;X;2", "1;X;1", "2;2;1")]
    till = make_till(1_000)
    sell_slips(pool, till, ("1;X;2", 100), ("1;1;1", 100))
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    on_sale = make_pool()
    bet_from_account(on_sale, player, "1;X;2", 100)
    named = {"on_sale": on_sale.code, "settled": pool.code, "ticket": tickets[0]}
    most = {("", address): number for address, number in MOST.items()} | {("player", "/my/"): MOST_MINE}
    most |= {(who, address): number for who, pages in MOST_OF.items() for address, number in pages.items()}
    people = {"": visitor(), "player": visitor(player), "cashier": visitor(till.cashier)}
    people |= {"organizer": visitor(make_user(Role.ORGANIZER)), "commission": visitor(member_of(pool))}

    def counted() -> dict[tuple[str, str], int]:
        return {(who, address): asked(people[who], address.format(**named)) for who, address in most}

    few = counted()
    copy_settled(pool, 60)
    copy_open(on_sale, 30)
    for number in range(12):
        bet_from_account(on_sale, player, "1;X;2", 100, key=f"one more of the same, {number}")
    many = counted()
    assert max(MOST.values()) <= MOST_MINE
    assert {page: count for page, count in many.items() if count > most[page]} == {}
    # A page that lists more asks once for what belongs to all of them.
    assert {page: (few[page], count) for page, count in many.items() if count > few[page] + 1} == {}


def test_a_process_that_is_ready_has_loaded_the_views_and_does_not_look_through_them_again() -> None:
    before = gc.get_freeze_count()
    try:
        be_ready()
        assert gc.get_freeze_count() > before
        assert "payouts.views.dashboard" in sys.modules
    finally:
        gc.unfreeze()

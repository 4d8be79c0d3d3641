"""What each public page and the player's own page ask the database at most: as much for many pools as for two."""

from collections.abc import Mapping

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from payouts.services.booking import book_payables
from tests.functional.browsing import visitor
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.many_pools import copy_open, copy_settled
from tests.paying import sell_slips
from tests.settling import settle

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


def asked(client: Client, address: str) -> int:
    """How many statements a page takes that was asked for within the last minute, as it was before."""
    caches["process"].clear()
    client.get(address)
    with CaptureQueriesContext(connection) as statements:
        assert client.get(address).status_code == 200, address
    return len(statements)


def test_no_public_page_nor_my_page_asks_more_for_more_pools() -> None:
    pool, player = make_pool(), make_player(10_000)
    tickets = [bet_from_account(pool, player, row, 100).bet.ticket for row in ("1;X;2", "1;X;1", "2;2;1")]
    sell_slips(pool, make_till(1_000), ("1;X;2", 100), ("1;1;1", 100))
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    on_sale = make_pool()
    bet_from_account(on_sale, player, "1;X;2", 100)
    named = {"on_sale": on_sale.code, "settled": pool.code, "ticket": tickets[0]}
    anybody, mine = visitor(), visitor(player)
    few = {address: asked(anybody, address.format(**named)) for address in MOST} | {"/my/": asked(mine, "/my/")}
    copy_settled(pool, 60)
    copy_open(on_sale, 30)
    for number in range(12):
        bet_from_account(on_sale, player, "1;X;2", 100, key=f"one more of the same, {number}")
    many = {address: asked(anybody, address.format(**named)) for address in MOST} | {"/my/": asked(mine, "/my/")}
    assert max(MOST.values()) <= MOST_MINE
    assert {address: count for address, count in many.items() if count > {**MOST, "/my/": MOST_MINE}[address]} == {}
    # A page that lists more asks once for what belongs to all of them.
    assert {address: (few[address], count) for address, count in many.items() if count > few[address] + 1} == {}

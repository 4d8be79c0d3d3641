"""What nobody has come for: public totals by pool and point, the same as the ledger's (X10)."""

import pytest

from accounts.ledger.kinds import AccountKind
from payouts.queries.unclaimed import unclaimed_money
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from tests.functional.calling import Caller
from tests.making import make_pool, make_till
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import owed, settle
from totalizator.core import clock

pytestmark = pytest.mark.django_db


def test_x10_the_totals_are_what_the_ledger_owes_and_no_ticket_is_named() -> None:
    one, other = make_till(1_000), make_till(1_000)
    pool, returned = make_pool("sportloto-variant"), make_pool("sportloto-variant")
    first, second = sell_slips(pool, one, ("1", 100), ("1", 100))
    (third,) = sell_slips(pool, other, ("1", 100))
    (back,) = sell_slips(returned, other, ("1", 100))
    settle(pool, "1")
    settle(returned, "1", event_void=True)
    for each in (pool, returned):
        book_payables(code=each.code)
    refund = [(returned.code, other.point.code, 1, 0, 100)]
    assert shape() == refund  # a winning is not payable before its day
    go_to(max(payable_from(pool), clock.now()))
    won = [(pool.code, one.point.code, 2, 140, 0), (pool.code, other.point.code, 1, 70, 0)]
    assert shape() == sorted(won + refund)
    assert sum(row[3] for row in shape()) == owed(AccountKind.WINNINGS_DUE, pool) == 210
    pay(first, one)
    assert sum(row[3] for row in shape()) == owed(AccountKind.WINNINGS_DUE, pool) == 140
    answer = Caller().get("unclaimed").json()
    assert answer["total"] == "2.40"
    assert not [slip for slip in (first, second, third, back) if slip.bet.ticket in str(answer)]
    go_to(payable_until(pool))
    expire_winnings(code=pool.code)
    assert shape() == refund
    assert owed(AccountKind.WINNINGS_DUE, pool) == 0


def shape() -> list[tuple[str, str, int, int, int]]:
    rows = unclaimed_money(clock.now())
    return sorted((row.pool, row.point, row.tickets, row.winnings, row.refunds) for row in rows)

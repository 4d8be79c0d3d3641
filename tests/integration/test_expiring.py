"""Unclaimed winnings go into the jackpot, each by an entry that tells the bet (¶15, ¶17.5, ¶38.2, C57)."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from accounts.ledger.kinds import AccountKind
from accounts.models import Entry, Transfer
from payouts.locks import lock_unclaimed
from payouts.models import Payable
from payouts.queries import pools_due_to_expire
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from payouts.tasks import expire_due_winnings
from pools.models import Pool
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips, states_of
from tests.refusals import every_row
from tests.settling import jackpot_of, owed, settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def to_expire(pool: Pool, now: datetime) -> int:
    """How many winnings would expire at the instant `now`."""
    with transaction.atomic():
        return len(lock_unclaimed(pool, now=now, limit=10))


def test_c57_of_a_hundred_rubles_the_unclaimed_forty_go_to_the_jackpot_once() -> None:
    pool = make_pool("sportloto-variant", terms={"price": {"line": 1_000}, "fund": "1"})
    till = make_till()
    slips = sell_slips(pool, till, *[("1", 1_000)] * 10)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    for slip in slips[:6]:
        pay(slip, till)
    go_to(payable_until(pool) - timedelta(seconds=5))
    before = every_row()
    assert expire_winnings(code=pool.code) == 0
    assert not pools_due_to_expire(clock.now()).exists()
    assert every_row() == before
    assert to_expire(pool, payable_until(pool) - timedelta(microseconds=1)) == 0
    assert to_expire(pool, payable_until(pool)) == 4
    clock.move_clock(timedelta(seconds=5))
    assert list(pools_due_to_expire(clock.now())) == [pool]
    assert expire_winnings(code=pool.code, chunk=3) == 4
    assert (jackpot_of(pool.game), owed(AccountKind.WINNINGS_DUE, pool)) == (4_000, 0)
    transfers = Transfer.objects.filter(kind="jackpot_unclaimed")
    assert sorted(transfers.values_list("cause", flat=True)) == sorted(f"bet:{slip.bet.ticket}" for slip in slips[6:])
    assert set(Entry.objects.filter(transfer__kind="jackpot_unclaimed").values_list("amount", flat=True)) == {1_000}
    records = JournalRecord.objects.filter(act="expire_winnings").order_by("id")
    assert [record.after for record in records] == [{"rows": 3, "amount": 3_000}, {"rows": 1, "amount": 1_000}]
    before = every_row()
    assert expire_winnings(code=pool.code) == 0
    expire_due_winnings()
    assert every_row() == before
    assert broken() == []


def test_what_goes_to_an_account_and_what_is_returned_never_expires() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(100)
    ticket = bet_from_account(pool, player, "1", 100).bet.ticket
    settle(pool, "1")
    returned = make_pool("sportloto-variant")
    (slip,) = sell_slips(returned, make_till(), ("1", 100))
    settle(returned, "1", event_void=True)
    for each in (pool, returned):
        book_payables(code=each.code)
    go_to(payable_until(pool) + timedelta(days=100))
    expire_due_winnings()
    assert {**states_of(pool), **states_of(returned)} == {ticket: "due", slip.bet.ticket: "due"}
    assert jackpot_of(pool.game) == 0


def test_a_totolot_winning_expires_into_totolots_jackpot() -> None:
    pool = make_pool("totolot-variant")
    sell_slips(pool, make_till(), ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_until(pool))
    expire_due_winnings()
    assert (jackpot_of("totolot"), jackpot_of("sportloto")) == (60, 0)
    assert Payable.objects.get(pool=pool).state == "expired"

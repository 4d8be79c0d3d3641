"""What is owed on each ticket, drawn up from the settlement's rows (¶11, ¶32, ¶41, D-12)."""

from datetime import timedelta

import pytest

from accounts.ledger.kinds import AccountKind
from payouts.models import Booking, Payable, PayableKind, PayableState
from payouts.queries import pools_due_to_book
from payouts.services import booking
from payouts.services.booking import BookingDiffers, book_payables
from payouts.tasks import book_due_payables
from pools.models import Pool, Settlement, Winning
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import payable_from, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.settling import owed, sell, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def rows(pool: Pool) -> dict[str, tuple[str, int, int | None]]:
    found = Payable.objects.filter(pool=pool).values_list("ticket", "kind", "amount", "pay_to")
    return {ticket: (kind, amount, pay_to) for ticket, kind, amount, pay_to in found}


def cancel(pool: Pool) -> None:
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)


def test_a_winning_is_owed_to_where_the_stake_came_from() -> None:
    pool, player, till = make_pool("sportloto-variant"), make_player(1_000), make_till()
    by_account = bet_from_account(pool, player, "1", 100).bet.ticket
    (in_cash,) = sell_slips(pool, till, ("1", 100))
    sell(pool, ("X", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    assert rows(pool) == {
        by_account: ("winning", 105, account_of(player).ledger_account_id),
        in_cash.bet.ticket: ("winning", 105, None),
    }
    payable = Payable.objects.get(pool=pool, ticket=by_account, kind=PayableKind.WINNING)
    assert (payable.state, payable.settled_at) == (PayableState.DUE, None)
    assert (payable.payable_from, payable.payable_until) == (payable_from(pool), payable_until(pool))


def test_the_levels_of_one_ticket_are_one_payable() -> None:
    pool = make_pool()  # 3/5 of the fund for three of three, 2/5 for two of three
    (system,) = sell(pool, ("1;1;1+X", 200))
    sell(pool, ("2;2;2", 100))
    settle(pool, "1;1;1")
    assert sorted(Winning.objects.filter(pool=pool).values_list("level", "amount")) == [("all", 126), ("but-one", 84)]
    book_payables(code=pool.code)
    assert rows(pool) == {system: ("winning", 210, None)}


def test_a_winning_of_nothing_is_not_owed() -> None:
    pool = make_pool("sportloto-variant", terms={"price": {"line": 1}})
    sell(pool, *[("1", 1)] * 2)  # a fund of 2 kopecks (70 % of 2, rounded up), one each
    settle(pool, "1")
    assert book_payables(code=pool.code).tickets == 2
    poor = make_pool("sportloto-variant", terms={"price": {"line": 1}, "fund": "7/10"})
    sell(poor, *[("1", 1)] * 4)  # a fund of 3 kopecks for four lines: nobody gets a kopeck
    settle(poor, "1")
    assert Winning.objects.filter(pool=poor, amount=0).count() == 4
    note = book_payables(code=poor.code)
    assert (note.tickets, note.winnings, rows(poor)) == (0, 0, {})


def test_the_booking_agrees_with_the_ledger_and_is_journalled() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("1", 100), ("2", 100))
    settle(pool, "1")
    note = book_payables(code=pool.code)
    assert (note.tickets, note.winnings, note.refunds) == (2, 210, 0)
    assert owed(AccountKind.WINNINGS_DUE, pool) == 210
    record = JournalRecord.objects.get(act="book_payables")
    assert (record.subject, record.after) == (f"pool:{pool.code}", {"tickets": 2, "winnings": 210, "refunds": 0})


def test_run_again_it_changes_nothing() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    settle(pool, "1")
    first = book_payables(code=pool.code)
    before = every_row()
    assert book_payables(code=pool.code) == first
    assert every_row() == before


def test_dying_before_the_end_leaves_nothing_and_the_next_run_does_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("1", 100))
    settle(pool, "1")
    before = every_row()

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(booking, "write_journal", die)
        with pytest.raises(KeyboardInterrupt):
            book_payables(code=pool.code)
    assert every_row() == before
    book_payables(code=pool.code)
    assert Payable.objects.filter(pool=pool).count() == 2


def test_late_bets_are_owed_their_stakes_at_once_and_for_ever() -> None:
    pool, player = make_pool("sportloto-variant", lasts=timedelta(hours=4)), make_player(1_000)
    (early,) = sell(pool, ("1", 100))
    clock.move_clock(timedelta(hours=2))
    started_at = (clock.now() - timedelta(hours=1)).replace(microsecond=0)
    late = bet_from_account(pool, player, "1", 100).bet.ticket
    settle(pool, "1", started_at=started_at)
    note = book_payables(code=pool.code)
    assert (note.winnings, note.refunds, note.tickets) == (70, 100, 2)
    assert rows(pool) == {
        early: ("winning", 70, None),
        late: ("refund", 100, account_of(player).ledger_account_id),
    }
    refund = Payable.objects.get(pool=pool, ticket=late, kind=PayableKind.REFUND)
    official_at = Settlement.objects.get(pool=pool).official_at
    assert (refund.payable_from, refund.payable_until) == (official_at, None)


@pytest.mark.parametrize("how", ["returned", "cancelled"])
def test_a_returned_and_a_cancelled_pool_owe_every_stake_in_full(how: str) -> None:
    pool, player = make_pool("sportloto-variant"), make_player(1_000)
    by_account = bet_from_account(pool, player, "1", 100).bet.ticket
    (in_cash,) = sell(pool, ("X", 100))
    if how == "returned":
        settle(pool, "1", event_void=True)
    else:
        cancel(pool)
    note = book_payables(code=pool.code)
    assert (note.winnings, note.refunds) == (0, 200)
    assert rows(pool) == {
        by_account: ("refund", 100, account_of(player).ledger_account_id),
        in_cash: ("refund", 100, None),
    }
    assert set(Payable.objects.values_list("payable_until", flat=True)) == {None}
    assert owed(AccountKind.REFUNDS_DUE, pool) == 200


def test_nothing_is_booked_before_the_settlement_is_official() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    assert refused(lambda: book_payables(code=pool.code)).code == Refusal.WRONG_STATE
    assert refused(lambda: book_payables(code="none")).code == Refusal.NOT_FOUND


def test_sums_that_are_not_the_ledgers_are_not_committed() -> None:
    pool = make_pool("sportloto-variant")
    (ticket,) = sell(pool, ("1", 100))
    settle(pool, "1")
    Winning.objects.create(pool=pool, ticket=ticket, level="false", lines=1, amount=1)
    before = every_row()
    with pytest.raises(BookingDiffers, match="winning of 71 for 70 set aside"):
        book_payables(code=pool.code)
    assert every_row() == before


def test_c28_a_bad_pool_stays_due_and_the_others_are_booked() -> None:
    pools = [make_pool("sportloto-variant") for _ in range(3)]
    for pool in pools:
        (ticket,) = sell(pool, ("1", 100))
        settle(pool, "1")
        if pool is pools[0]:
            Winning.objects.create(pool=pool, ticket=ticket, level="false", lines=1, amount=1)
    for _ in range(2):
        book_due_payables()
    assert list(Booking.objects.order_by("pk").values_list("pool", flat=True)) == [pools[1].pk, pools[2].pk]
    assert list(pools_due_to_book()) == [pools[0]]
    (report,) = JournalRecord.objects.filter(act="book_payables_failed")
    assert (report.subject, "71 for 70" in report.reason) == (f"pool:{pools[0].code}", True)

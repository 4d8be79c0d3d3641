"""A correction of a settled pool, applied to what is owed: unpaid corrected, paid too little made good (H5, I10)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from accounts.ledger.kinds import AccountKind
from accounts.models import Till
from payouts.models import Payable, PayableKind, PayableState, Payment
from payouts.queries import money_certificate, pools_due_to_expire
from payouts.queries.guarantee import guarantee_sum
from payouts.queries.tickets import TicketStanding, ticket_status
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import Correction, Pool
from pools.services.betting import PlacedBet
from pools.services.settlement_money import reserve_jackpot
from tests.correcting import (
    make_right,
    organizers_money,
    outcomes_of,
    owed_on,
    takeout_of,
)
from tests.disputing import cancelled, proposed
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from, payable_until, sell_slips
from tests.refusals import refused
from tests.settling import jackpot_of, owed, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
ALL_WON = "1+X"  # four bets of 1.00: a fund of 2.80, each wins 0.70; by the right result two win 1.40 each


def settled(*bets: str, right: str = ALL_WON) -> tuple[Pool, list[PlacedBet], Till]:
    """A settled and booked pool whose slips can be paid now, and their till."""
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    slips = list(sell_slips(pool, till, *((bet, 100) for bet in bets)))
    settle(pool, right)
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    return pool, slips, till


def test_what_is_unpaid_is_corrected_what_is_paid_is_made_good_or_becomes_a_case() -> None:
    pool, (paid_less, unpaid_less, paid_more, unpaid_more), till = settled("1", "1", "X", "X")
    for slip in (paid_less, paid_more):
        assert pay(slip, till).net == 66
    before = organizers_money()
    make_right(pool, "1")
    booking = apply_correction(code=pool.code)
    assert outcomes_of(pool) == {
        (paid_less.bet.ticket, "winning"): ("made_good", 70, 0),
        (unpaid_less.bet.ticket, "winning"): ("amended", 70, 0),
        (paid_more.bet.ticket, "winning"): ("overpaid", 0, 70),
        (unpaid_more.bet.ticket, "winning"): ("revoked", -70, 0),
    }
    assert owed_on(pool, paid_less.bet.ticket) == {"winning": (70, "paid"), "correction": (70, "due")}
    assert owed_on(pool, unpaid_less.bet.ticket) == {"winning": (140, "due")}
    assert owed_on(pool, paid_more.bet.ticket) == {"winning": (70, "paid")}
    assert owed_on(pool, unpaid_more.bet.ticket) == {"winning": (70, "revoked")}
    assert (booking.winnings_added, booking.winnings_taken, booking.overpaid) == (140, 70, 70)
    assert (booking.refunds_added, booking.refunds_taken, booking.takeout, booking.jackpot) == (0, 0, 0, 0)
    assert organizers_money() - before == -70  # what was overpaid, and nobody else's
    assert owed(AccountKind.WINNINGS_DUE, pool) == 210
    assert broken() == []
    proof = money_certificate(pool)
    assert proof is not None
    assert (proof.holds, proof.figures["corrected_winnings"].ledger, proof.figures["paid"].ledger) == (True, 70, 140)
    record = JournalRecord.objects.get(act="apply_correction")
    assert (record.subject, record.after["rows"], record.after["overpaid"]) == (f"pool:{pool.code}", 4, 70)
    assert not guarantee_sum().differing


def test_what_is_made_good_is_paid_like_a_winning_and_taxed_by_itself() -> None:
    pool, (paid_less, unpaid_less, *_others), till = settled("1", "1", "X", "X")
    pay(paid_less, till)
    make_right(pool, "1")
    apply_correction(code=pool.code)
    correction = Correction.objects.get(pool=pool)
    refusal = refused(partial(pay, paid_less, till, "early"))
    assert (refusal.code, refusal.details["payable_from"]) == (Refusal.NOT_PAYABLE_YET, correction.payable_from)
    go_to(correction.payable_from)
    status = ticket_status(paid_less.bet.ticket, paid_less.check_code)
    assert (status.standing, status.amount) == (TicketStanding.PAYABLE, 70)
    first = Payment.objects.get(ticket=paid_less.bet.ticket)
    rest = pay(paid_less, till, "rest")
    assert (first.gross, first.tax, rest.kind, rest.gross, rest.tax, rest.net) == (70, 4, "correction", 70, 4, 66)
    whole = pay(unpaid_less, till)
    assert (whole.kind, whole.gross, whole.tax) == ("winning", 140, 7)
    assert refused(partial(pay, paid_less, till, "again")).code == Refusal.ALREADY_PAID
    assert refused(partial(pay, _others[1], till)).code == Refusal.NOTHING_TO_PAY
    assert pay(paid_less, till, "rest").replayed
    assert broken() == []


def test_a_winning_of_nobody_before_is_newly_owed_the_way_its_stake_came() -> None:
    till, pool, player = make_till(1_000), make_pool("sportloto-variant"), make_player(100)
    (cash,) = sell_slips(pool, till, ("X", 100))
    account = bet_from_account(pool, player, "X", 100).bet.ticket
    (winner,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    before = organizers_money()
    make_right(pool, "X")
    apply_correction(code=pool.code)
    assert {key: row[0] for key, row in outcomes_of(pool).items()} == {
        (cash.bet.ticket, "winning"): "added",
        (account, "winning"): "added",
        (winner.bet.ticket, "winning"): "revoked",
    }
    correction = Correction.objects.get(pool=pool)
    terms = Payable.objects.filter(pool=pool, state="due").values_list("payable_from", "payable_until", "amount")
    assert set(terms) == {(correction.payable_from, correction.payable_until, 105)}
    go_to(correction.payable_from)
    assert credit_accounts(code=pool.code) == 1
    assert money_of(player) == 105 - 5
    assert pay(cash, till).gross == 105
    assert (organizers_money() - before, broken()) == (0, [])


def test_what_expired_is_made_good_by_the_difference_and_never_taken_back() -> None:
    pool, (less, _paid, more, _other), till = settled("1", "1", "X", "X")
    pay(_paid, till)
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 3
    jackpot = jackpot_of(pool.game)
    make_right(pool, "1")
    apply_correction(code=pool.code)
    assert owed_on(pool, less.bet.ticket) == {"winning": (70, "expired"), "correction": (70, "due")}
    assert outcomes_of(pool)[more.bet.ticket, "winning"] == ("kept", 0, 0)
    assert jackpot_of(pool.game) == jackpot
    go_to(Correction.objects.get(pool=pool).payable_until)
    assert pools_due_to_expire(payable_until(pool) + timedelta(days=400)).get() == pool
    assert expire_winnings(code=pool.code) == 2
    assert jackpot_of(pool.game) == jackpot + 140
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_a_bet_that_was_late_by_a_slip_of_the_pen_wins_and_its_stake_is_kept_or_is_a_case() -> None:
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    (early,) = sell_slips(pool, till, ("1", 100))
    clock.move_clock(timedelta(minutes=2))
    late = list(sell_slips(pool, till, ("1", 100), ("1", 100)))
    settle(pool, "1", started_at=late[0].bet.registered_at.replace(microsecond=0))
    book_payables(code=pool.code)
    assert {owed_on(pool, slip.bet.ticket).get("refund") for slip in late} == {(100, "due")}
    assert pay(late[0], till).kind == "refund"
    takeout = takeout_of(pool)
    make_right(pool, "1")
    booking = apply_correction(code=pool.code)
    assert outcomes_of(pool) == {
        (late[0].bet.ticket, "refund"): ("overpaid", 0, 100),
        (late[0].bet.ticket, "winning"): ("added", 70, 0),
        (late[1].bet.ticket, "refund"): ("revoked", -100, 0),
        (late[1].bet.ticket, "winning"): ("added", 70, 0),
    }
    assert owed_on(pool, early.bet.ticket) == {"winning": (70, "due")}
    assert (booking.refunds_taken, booking.winnings_added, booking.takeout) == (100, 140, 60)
    assert takeout_of(pool) == takeout + 60
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_a_bet_that_was_late_after_all_has_its_stake_back_and_no_winning() -> None:
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    (early,) = sell_slips(pool, till, ("1", 100))
    clock.move_clock(timedelta(minutes=2))
    (paid, unpaid) = sell_slips(pool, till, ("1", 100), ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(paid, till)
    make_right(pool, "1", started_at=paid.bet.registered_at.replace(microsecond=0))
    apply_correction(code=pool.code)
    assert owed_on(pool, paid.bet.ticket) == {"winning": (70, "paid"), "refund": (100, "due")}
    assert owed_on(pool, unpaid.bet.ticket) == {"winning": (70, "revoked"), "refund": (100, "due")}
    assert owed_on(pool, early.bet.ticket) == {"winning": (70, "due")}
    assert pay(unpaid, till).kind == "refund"
    assert pay(paid, till, "stake").gross == 100
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_a_pool_that_was_returned_is_won_and_a_won_one_is_returned() -> None:
    pool, (one, other), till = settled("1", "X", right="1")
    pay(one, till)
    make_right(pool, "void", event_void=True)
    booking = apply_correction(code=pool.code)
    assert owed_on(pool, one.bet.ticket) == {"winning": (140, "paid"), "refund": (100, "due")}
    assert owed_on(pool, other.bet.ticket) == {"refund": (100, "due")}
    assert (booking.takeout, booking.refunds_added, booking.overpaid) == (-60, 200, 140)
    assert broken() == []
    back = make_pool("sportloto-variant")
    slips = sell_slips(back, till, ("1", 100), ("X", 100))
    settle(back, "void", event_void=True)
    book_payables(code=back.code)
    make_right(back, "X")
    apply_correction(code=back.code)
    assert owed_on(back, slips[0].bet.ticket) == {"refund": (100, "revoked")}
    assert owed_on(back, slips[1].bet.ticket) == {"refund": (100, "revoked"), "winning": (140, "due")}
    assert takeout_of(back) == 60
    assert broken() == []
    assert all(money_certificate(each).holds for each in (pool, back))  # type: ignore[union-attr]


def test_the_jackpot_gives_up_what_it_should_not_have_got_and_the_organizer_the_rest() -> None:
    pool, (winner, _loser), till = settled("1", "X", right="2")
    assert jackpot_of(pool.game) == 140
    before = organizers_money()
    make_right(pool, "1")
    booking = apply_correction(code=pool.code)
    assert (booking.jackpot, booking.jackpot_short, jackpot_of(pool.game)) == (-140, 0, 0)
    assert organizers_money() == before
    assert owed_on(pool, winner.bet.ticket) == {"winning": (140, "due")}
    other, _slips, _till = settled("1", "X", right="2")
    drawing = make_pool("sportloto-position", terms={"jackpot": {"level": "all", "share": "1"}})
    with transaction.atomic():
        assert drawing.draws_jackpot
        assert reserve_jackpot(drawing, at=clock.now(), cause="test") == 140
    make_right(other, "1")
    booking = apply_correction(code=other.code)
    assert (booking.jackpot, booking.jackpot_short) == (0, 140)
    assert organizers_money() == before - 140
    assert broken() == []
    assert till is not None


def test_a_winner_too_many_leaves_money_for_the_jackpot() -> None:
    pool, (paid, _loser), till = settled("1", "X", right="1")
    pay(paid, till)
    before = organizers_money()
    make_right(pool, "2")
    booking = apply_correction(code=pool.code)
    assert (booking.jackpot, booking.overpaid, jackpot_of(pool.game)) == (140, 140, 140)
    assert organizers_money() == before - 140
    assert broken() == []
    assert money_certificate(pool).figures["corrected_jackpot"].stated == 140  # type: ignore[union-attr]


def test_a_bet_cancelled_after_the_settlement_is_left_as_it_is() -> None:
    pool, (breach, other, _loser), till = settled("1", "1", "X", right="1")
    cancelled(breach.bet.ticket)
    before = owed_on(pool, breach.bet.ticket)
    make_right(pool, "1+X")
    apply_correction(code=pool.code)
    assert owed_on(pool, breach.bet.ticket) == before == {"winning": (105, "revoked"), "refund": (100, "due")}
    assert outcomes_of(pool)[breach.bet.ticket, "winning"] == ("left", 0, 0)
    assert owed_on(pool, other.bet.ticket) == {"winning": (70, "due")}
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]
    assert till is not None


def test_a_bet_cancelled_after_the_correction_gives_back_all_that_was_paid_on_it() -> None:
    pool, (breach, _other, _x, _y), till = settled("1", "1", "X", "X")
    pay(breach, till)
    make_right(pool, "1")
    apply_correction(code=pool.code)
    jackpot, (_one, two) = jackpot_of(pool.game), make_organizers()
    done = approve_bet_cancellation(proposal=proposed(breach.bet.ticket), approved_by=two)
    assert (done.winning, done.taken) == ("paid", 66)
    assert owed_on(pool, breach.bet.ticket) == {
        "winning": (70, "paid"),
        "correction": (70, "revoked"),
        "refund": (100, "due"),
    }
    assert jackpot_of(pool.game) == jackpot + 70
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_both_calendars_of_claiming_count_from_the_correcting_protocol() -> None:
    for game in ("sportloto-variant", "totolot-variant"):
        till, pool = make_till(10_000), make_pool(game)
        (slip,) = sell_slips(pool, till, ("X", 100))
        sell_slips(pool, till, ("1", 100))
        settle(pool, "1")
        book_payables(code=pool.code)
        go_to(payable_until(pool))
        make_right(pool, "X")
        apply_correction(code=pool.code)
        correction = Correction.objects.get(pool=pool)
        payable = Payable.objects.get(pool=pool, ticket=slip.bet.ticket, kind=PayableKind.WINNING)
        assert (payable.payable_from, payable.payable_until) == (correction.payable_from, correction.payable_until)
        assert payable.payable_from > payable_from(pool)
        assert payable.state == PayableState.DUE
    assert broken() == []

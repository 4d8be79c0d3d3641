"""Paying tickets in cash at a till: once, to who has the check code, in the term (D-13, ¶12-13, ¶43)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from accounts.ledger.balances import balance
from accounts.models import Role, Till
from payouts.models import Payable, Payment, PaymentMethod
from payouts.queries import TicketStanding, ticket_status
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips
from tests.refusals import refused
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def won(till: Till, losers: int = 9) -> tuple[Pool, PlacedBet]:
    """A settled and booked pool whose one winner won (1 + losers) x 70 kopecks; nothing is payable yet."""
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    if losers:
        sell(pool, *[("X", 100)] * losers)
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool, slip


def test_a_winning_is_paid_less_its_tax_from_the_till() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    payment = pay(slip, till)
    assert (payment.method, payment.gross, payment.tax, payment.net) == (PaymentMethod.CASH, 700, 35, 665)
    assert (payment.till, payment.paid_by) == (till, till.cashier)
    assert balance(till.ledger_account) == 1_000 + 100 - 665
    record = JournalRecord.objects.get(act="pay_in_cash")
    assert (record.subject, record.actor) == (f"bet:{slip.bet.ticket}", till.cashier and till.cashier.actor)
    assert record.after == {"kind": "winning", "gross": 700, "tax": 35, "net": 665, "till": till.pk}
    assert broken() == []


def test_a_code_is_read_as_people_write_it() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    assert till.cashier is not None
    code = f" {slip.check_code[:7].lower()}-{slip.check_code[7:]} "
    payment = pay_in_cash(
        ticket=f" {slip.bet.ticket.lower()} ", check_code=code, cashier=till.cashier, idempotency_key="k"
    )
    assert payment.net == 665


def test_a_repeated_request_gets_the_first_payment() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    first, again = pay(slip, till, "key"), pay(slip, till, "key")
    assert (again.pk, again.paid_at) == (first.pk, first.paid_at)
    assert (first.replayed, again.replayed) == (False, True)
    assert (Payment.objects.count(), balance(till.ledger_account)) == (1, 435)


def test_a_key_is_not_used_for_another_ticket() -> None:
    till = make_till(2_000)
    pool, slip = won(till)
    _other_pool, other = won(till)
    go_to(max(payable_from(pool), payable_from(_other_pool)))
    pay(slip, till, "key")
    assert refused(partial(pay, other, till, "key")).code == Refusal.KEY_REUSED


def test_c58_a_paid_ticket_says_where_and_when_in_the_time_of_that_place() -> None:
    till, other = make_till(1_000, time_zone="Asia/Yekaterinburg"), make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool) + timedelta(hours=9, minutes=3))  # 09:03 in Minsk, 11:03 in Yekaterinburg
    payment = pay(slip, till)
    refusal = refused(partial(pay, slip, other))
    assert refusal.code == Refusal.ALREADY_PAID
    assert refusal.details == {"till": str(till), "paid_at": payment.paid_at}
    assert str(till) in str(refusal.message)
    assert "11:03" in str(refusal.message)
    assert refused(partial(pay, slip, till, "another key")).code == Refusal.ALREADY_PAID


def test_the_term_begins_and_ends_to_the_second() -> None:
    till = make_till(2_000)
    pool, slip = won(till)
    go_to(payable_from(pool) - timedelta(seconds=5))
    refusal = refused(partial(pay, slip, till))
    assert (refusal.code, refusal.details) == (Refusal.NOT_PAYABLE_YET, {"payable_from": payable_from(pool)})
    go_to(payable_until(pool))
    refusal = refused(partial(pay, slip, till))
    assert (refusal.code, refusal.details) == (Refusal.TERM_EXPIRED, {"payable_until": payable_until(pool)})
    go_to(payable_until(pool) - timedelta(seconds=5))
    assert pay(slip, till).net == 665


def test_what_expired_into_the_jackpot_is_refused() -> None:
    till = make_till(2_000)
    pool, slip = won(till)
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 1
    assert refused(partial(pay, slip, till)).code == Refusal.TERM_EXPIRED


def test_a_wrong_code_and_an_unknown_ticket_get_one_answer() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    cashier = till.cashier
    assert cashier is not None
    attempts = [
        (slip.bet.ticket, slip.check_code[:-1]),
        (slip.bet.ticket, ""),
        (slip.bet.ticket[:-1] + "!", slip.check_code),
        ("", slip.check_code),
    ]
    answers = [
        refused(partial(pay_in_cash, ticket=ticket, check_code=code, cashier=cashier, idempotency_key="k"))
        for ticket, code in attempts
    ]
    assert {(answer.code, str(answer.message), answer.field) for answer in answers} == {
        (Refusal.WRONG_CODE, str(answers[0].message), "check_code")
    }


def test_a_losing_ticket_has_nothing_and_one_in_play_not_yet() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    loser, _winner = sell_slips(pool, till, ("X", 100), ("1", 100))
    assert refused(partial(pay, loser, till)).code == Refusal.NOT_PAYABLE_YET
    settle(pool, "1")
    assert refused(partial(pay, loser, till)).code == Refusal.NOT_PAYABLE_YET  # the payables are not drawn up
    book_payables(code=pool.code)
    assert refused(partial(pay, loser, till)).code == Refusal.NOTHING_TO_PAY


def test_a_till_pays_only_what_it_holds() -> None:
    till = make_till()
    pool, slip = won(till)  # the till has 100 of the stake
    go_to(payable_from(pool))
    refusal = refused(partial(pay, slip, till))
    assert refusal.code == Refusal.INSUFFICIENT_FUNDS
    assert (refusal.details["needed"], refusal.details["available"]) == (665, 100)
    assert pay(slip, make_till(665)).net == 665


def test_only_a_cashier_at_a_till_pays() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    for person in (make_user(Role.CASHIER), make_user(Role.ORGANIZER), make_player()):
        act = partial(pay_in_cash, ticket=slip.bet.ticket, check_code=slip.check_code, cashier=person)
        assert refused(partial(act, idempotency_key="k")).code == Refusal.NOT_ALLOWED


def test_p41_what_came_from_an_account_is_not_paid_in_cash() -> None:
    till, pool, player = make_till(1_000), make_pool("sportloto-variant"), make_player(100)
    placed = bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert refused(partial(pay, placed, till)).code == Refusal.NOT_ALLOWED
    credit_accounts(code=pool.code)
    refusal = refused(partial(pay, placed, till))
    assert refusal.code == Refusal.ALREADY_PAID
    assert "till" not in refusal.details


def test_a_returned_stake_is_paid_in_full_and_never_too_late() -> None:
    till, pool = make_till(), make_pool("sportloto-variant")
    first, second = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1", event_void=True)
    book_payables(code=pool.code)
    payment = pay(first, till)
    assert (payment.kind, payment.gross, payment.tax, payment.net) == ("refund", 100, 0, 100)
    clock.move_clock(timedelta(days=1_000))
    assert expire_winnings(code=pool.code) == 0
    assert pay(second, till).net == 100
    assert (balance(till.ledger_account), broken()) == (0, [])


def test_who_has_the_code_sees_where_the_ticket_stands() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    winner, loser, forgotten = sell_slips(pool, till, ("1", 100), ("X", 100), ("1", 100))

    def standing(slip: PlacedBet) -> tuple[str, int]:
        status = ticket_status(slip.bet.ticket, slip.check_code)
        return status.standing, status.amount

    assert standing(winner) == (TicketStanding.IN_PLAY, 0)
    settle(pool, "1")
    book_payables(code=pool.code)
    assert [standing(slip) for slip in (winner, loser)] == [
        (TicketStanding.NOT_PAYABLE_YET, 105),
        (TicketStanding.NOTHING, 0),
    ]
    go_to(payable_from(pool))
    assert standing(winner) == (TicketStanding.PAYABLE, 105)
    payment = pay(winner, till)
    status = ticket_status(winner.bet.ticket, winner.check_code)
    assert (status.standing, status.payment) == (TicketStanding.PAID, payment)
    go_to(payable_until(pool))
    assert standing(forgotten) == (TicketStanding.EXPIRED, 105)
    expire_winnings(code=pool.code)
    assert standing(forgotten) == (TicketStanding.EXPIRED, 105)
    with pytest.raises(Exception, match=Refusal.WRONG_CODE):
        ticket_status(winner.bet.ticket, loser.check_code)


def test_nothing_of_a_payment_stays_when_its_transaction_is_rolled_back() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    with transaction.atomic():
        pay(slip, till)
        transaction.set_rollback(True)
    assert (Payment.objects.count(), balance(till.ledger_account)) == (0, 1_100)
    assert Payable.objects.get(pool=pool).state == "due"
    assert pay(slip, till).net == 665  # the same key, since nothing was done under it

"""While a result is corrected nothing is paid; a correction is applied once, whole, and as it says (H5)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Till
from payouts.models import CorrectionBooking
from payouts.queries import pools_due_to_credit, pools_due_to_expire
from payouts.queries.claim_terms import claim_end_of
from payouts.queries.corrections import pools_due_to_apply
from payouts.queries.tickets import TicketStanding, ticket_status
from payouts.services import correcting
from payouts.services.booking import BookingDiffers, book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from payouts.services.ticket_claims import pay_claim
from payouts.tasks import apply_due_corrections
from pools.models import Correction, Pool
from pools.services.abandoning import approve_abandonment, propose_abandonment
from pools.services.betting import PlacedBet
from tests.claiming import claimed, decided, make_central, prepared
from tests.correcting import (
    draw_up_right,
    make_right,
    outcomes_of,
    owed_on,
)
from tests.disputing import proposed
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.settling import settle
from totalizator.core.errors import Refusal

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


def test_nothing_is_paid_while_the_result_is_being_corrected() -> None:
    till, pool, player = make_central(make_till(10_000)), make_pool("sportloto-variant"), make_player(100)
    slip, lost, loser = sell_slips(pool, till, ("1", 100), ("1", 100), ("X", 100))
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    claim = decided(claimed(lost, till, with_code=True), grant=True)
    assert pools_due_to_credit(payable_from(pool)).get() == pool
    protocol = draw_up_right(pool, "X")
    proposal = partial(proposed, slip.bet.ticket, make_organizers()[0])
    acts = (partial(pay, slip, till), partial(pay, loser, till), partial(prepared, slip, till), proposal)
    for act in acts:
        assert refused(act).code == Refusal.BEING_CORRECTED
    assert till.cashier is not None
    by_claim = partial(pay_claim, claim=claim, cashier=till.cashier, idempotency_key="c", person=claim.person)
    assert refused(by_claim).code == Refusal.BEING_CORRECTED
    assert ticket_status(slip.bet.ticket, slip.check_code).standing == TicketStanding.BEING_CORRECTED
    assert ticket_status(loser.bet.ticket, loser.check_code).standing == TicketStanding.BEING_CORRECTED
    before = every_row()
    assert (credit_accounts(code=pool.code), list(pools_due_to_credit(payable_from(pool)))) == (0, [])
    assert every_row() == before
    go_to(payable_until(pool))
    before = every_row()
    assert (expire_winnings(code=pool.code), list(pools_due_to_expire(payable_until(pool)))) == (0, [])
    assert every_row() == before
    assert protocol.sealed_at is None


def test_a_correcting_protocol_that_is_given_up_lets_paying_go_on() -> None:
    pool, (slip, _other), till = settled("1", "X", right="1")
    draw_up_right(pool, "X")
    assert refused(partial(pay, slip, till)).code == Refusal.BEING_CORRECTED
    one, other = make_organizers()
    proposal = propose_abandonment(code=pool.code, reason="It was right after all.", proposed_by=one)
    assert refused(partial(pay, slip, till)).code == Refusal.BEING_CORRECTED
    approve_abandonment(proposal=proposal, approved_by=other)
    assert pay(slip, till).gross == 140
    assert refused(partial(apply_correction, code=pool.code)).code == Refusal.WRONG_STATE
    assert broken() == []


def test_who_could_not_come_while_it_was_corrected_has_the_new_term() -> None:
    pool, (slip, _other), till = settled("1", "1")
    go_to(payable_until(pool) - timedelta(minutes=1))
    make_right(pool, "1", started_at=(pool.closes_at + timedelta(seconds=30)).replace(microsecond=0))
    go_to(payable_until(pool))
    assert refused(partial(pay, slip, till)).code == Refusal.BEING_CORRECTED
    apply_correction(code=pool.code)
    assert outcomes_of(pool) == {}
    correction = Correction.objects.get(pool=pool)
    assert claim_end_of(pool) == correction.payable_until
    assert expire_winnings(code=pool.code) == 0
    go_to(correction.payable_until - timedelta(seconds=5))
    assert pay(slip, till).gross == 70
    assert broken() == []


def test_applied_again_it_changes_nothing_and_before_it_is_official_nothing_is_applied() -> None:
    pool, _slips, _till = settled("1", "X")
    assert refused(partial(apply_correction, code=pool.code)).code == Refusal.WRONG_STATE
    assert refused(partial(apply_correction, code="T-NONE")).code == Refusal.NOT_FOUND
    make_right(pool, "X")
    assert list(pools_due_to_apply()) == [pool]
    apply_due_corrections()
    booking = CorrectionBooking.objects.get(pool=pool)
    assert Correction.objects.get(pool=pool).applied_at == booking.booked_at
    assert list(pools_due_to_apply()) == []
    before = every_row()
    assert apply_correction(code=pool.code) == booking
    apply_due_corrections()
    assert every_row() == before


@pytest.mark.parametrize("part", ["_booked", "_change_payables", "post_many", "_refuse_untied", "write_journal"])
def test_killed_in_the_middle_nothing_has_changed_and_the_next_run_does_all(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, (slip, _other), till = settled("1", "X")
    pay(slip, till)
    make_right(pool, "X")
    before = every_row()
    whole = getattr(correcting, part)

    def killed(*given: object, **named: object) -> None:
        whole(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(correcting, part, killed)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        apply_correction(code=pool.code)
    assert every_row() == before
    monkeypatch.undo()
    apply_correction(code=pool.code)
    assert outcomes_of(pool)[slip.bet.ticket, "winning"] == ("overpaid", 0, 70)
    assert broken() == []


def test_what_is_not_owed_as_the_settlement_says_stops_it() -> None:
    pool, (slip, _other), _till = settled("1", "X")
    make_right(pool, "X")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE payouts_payable DISABLE TRIGGER keep_payable")
        cursor.execute("UPDATE payouts_payable SET amount = amount + 1 WHERE ticket = %s", [slip.bet.ticket])
        cursor.execute("ALTER TABLE payouts_payable ENABLE TRIGGER keep_payable")
    before = every_row()
    with pytest.raises(BookingDiffers, match=slip.bet.ticket), transaction.atomic():
        apply_correction(code=pool.code)
    assert every_row() == before


def test_the_database_lets_an_amount_change_only_as_the_correction_says() -> None:
    pool, (slip, other), _till = settled("1", "X")
    make_right(pool, "1")
    for amount in (140, 999):
        change = f"UPDATE payouts_payable SET amount = {amount} WHERE ticket = '{slip.bet.ticket}'"
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    apply_correction(code=pool.code)
    assert owed_on(pool, slip.bet.ticket) == {"winning": (140, "due")}
    for change in ("amount = 70", "amount = 141", "state = 'due'", "payable_until = payable_until - interval '1 day'"):
        sql = f"UPDATE payouts_payable SET {change} WHERE ticket IN ('{slip.bet.ticket}', '{other.bet.ticket}')"
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    for table in ("payouts_correctedpayable", "payouts_correctionbooking"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")

"""Cancelling a pool: two people, every stake owed in full (¶32, D-12)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import Entry, Role, Transfer, User
from pools.models import Cancellation, Pool, PoolState
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.making import bet_from_account, bet_in_cash, make_organizers, make_player, make_pool, make_till, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock, draw_up, seal
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def propose(pool: Pool, person: User, reason: str = "The cup is off.", document: str = "Letter 7 of 01.12.2026") -> int:
    proposal = propose_cancellation(code=pool.code, reason=reason, document=document, proposed_by=person)
    return proposal.number


def pot(pool: Pool) -> int:
    return entries_balance(ledger_account(AccountKind.POOL_POT, pool.code))


def owed(pool: Pool) -> int:
    return entries_balance(ledger_account(AccountKind.REFUNDS_DUE, pool.code))


def test_two_people_cancel_and_the_whole_pot_is_owed() -> None:
    """C43: no share of a stake is kept, the takeout neither; who is paid how is the payouts' business."""
    pool, (one, other) = make_pool(terms={"price": {"line": 1}}), make_organizers()
    bet_from_account(pool, make_player(1_000), "1+X+2;1+X+2;1+X+2", 27)
    bet_in_cash(pool, make_till(), "1;1;1", 1)
    propose(pool, one)
    assert Pool.objects.get(pk=pool.pk).state == PoolState.ANNOUNCED
    bet_in_cash(pool, make_till(), "2;2;2", 1)  # sales go on until the second person agrees
    cancellation = approve_cancellation(code=pool.code, approved_by=other)
    pool.refresh_from_db()
    assert pool.state == PoolState.CANCELLED
    assert pool.closed_at == cancellation.cancelled_at
    assert (pot(pool), owed(pool)) == (0, 29)
    transfer = Transfer.objects.get(kind=TransferKind.REFUND)
    assert (transfer.book, transfer.key, transfer.cause) == (pool.pk, "cancel:refunds", f"cancellation:{pool.code}")
    assert Entry.objects.get(book=pool.pk, key="cancel:refunds").amount == 29
    assert (cancellation.proposed_by, cancellation.approved_by) == (one, other)
    record = JournalRecord.objects.get(act="approve_cancellation")
    assert (record.actor, record.reason) == (other.actor, "The cup is off.")
    assert record.after == {"document": "Letter 7 of 01.12.2026", "proposed_by": one.actor, "refunds": 29}
    player = make_player(1_000)
    assert refused(lambda: bet_from_account(pool, player, "1;1;1", 1)).code is Refusal.POOL_CLOSED


def test_the_proposer_cannot_approve() -> None:
    pool, (one, _other) = make_pool(), make_organizers()
    propose(pool, one)
    assert refused(lambda: approve_cancellation(code=pool.code, approved_by=one)).code is Refusal.SAME_PERSON


def test_the_database_itself_wants_two_people() -> None:
    pool, (one, _other) = make_pool(), make_organizers()
    with pytest.raises(IntegrityError, match="pools_cancellation_by_two"), transaction.atomic():
        Cancellation.objects.create(
            pool=pool, reason="x", document="x", proposed_by=one, approved_by=one, cancelled_at=pool.opens_at
        )


def test_nothing_is_approved_that_nobody_proposed() -> None:
    pool, (one, _other) = make_pool(), make_organizers()
    assert refused(lambda: approve_cancellation(code=pool.code, approved_by=one)).code is Refusal.NOT_FOUND
    assert refused(lambda: approve_cancellation(code="T-0", approved_by=one)).code is Refusal.NOT_FOUND


def test_a_later_proposal_does_not_slip_under_an_approval() -> None:
    pool, (one, other) = make_pool(), make_organizers()
    read = propose(pool, one)
    later = propose(pool, one, reason="Another reason.")
    approve = partial(approve_cancellation, code=pool.code, approved_by=other)
    assert refused(partial(approve, number=read)).code is Refusal.WRONG_STATE
    assert approve(number=later).reason == "Another reason."


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_the_organizers_staff_cancel(role: Role) -> None:
    pool, (one, _other), person = make_pool(), make_organizers(), make_user(role)
    assert refused(lambda: propose(pool, person)).code is Refusal.NOT_ALLOWED
    propose(pool, one)
    assert refused(lambda: approve_cancellation(code=pool.code, approved_by=person)).code is Refusal.NOT_ALLOWED


@pytest.mark.parametrize(("reason", "document", "field"), [(" ", "x", "reason"), ("x", "", "document")])
def test_a_reason_and_a_document_are_needed(reason: str, document: str, field: str) -> None:
    pool, (one, _other) = make_pool(), make_organizers()
    refusal = refused(lambda: propose(pool, one, reason, document))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_a_pool_without_bets_is_cancelled_without_a_transfer() -> None:
    pool, (one, other) = make_pool(is_open=False), make_organizers()
    propose(pool, one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert not Transfer.objects.filter(kind=TransferKind.REFUND).exists()


def test_a_closed_pool_is_cancelled_even_with_its_protocol_drawn_up() -> None:
    pool, (one, other) = make_pool(), make_organizers()
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)
    close_by_clock(pool)
    draw_up(pool, "1;1;1")
    propose(pool, one)
    approve_cancellation(code=pool.code, approved_by=other)
    pool.refresh_from_db()
    assert (pool.state, pool.closed_at) == (PoolState.CANCELLED, pool.closes_at)
    assert (pot(pool), owed(pool)) == (0, 100)


def test_a_resulted_or_cancelled_pool_is_not_cancelled() -> None:
    pool, (one, other) = make_pool(), make_organizers()
    close_by_clock(pool)
    propose(pool, one)
    seal(pool, "1;1;1")
    assert refused(lambda: propose(pool, one)).code is Refusal.WRONG_STATE
    assert refused(lambda: approve_cancellation(code=pool.code, approved_by=other)).code is Refusal.WRONG_STATE
    cancelled = make_pool(opens_in=timedelta(hours=2))
    propose(cancelled, one)
    approve_cancellation(code=cancelled.code, approved_by=other)
    assert refused(lambda: approve_cancellation(code=cancelled.code, approved_by=other)).code is Refusal.WRONG_STATE


def test_proposals_and_cancellations_stay_as_they_were_written() -> None:
    pool, (one, other) = make_pool(), make_organizers()
    propose(pool, one)
    approve_cancellation(code=pool.code, approved_by=other)
    for table in ("pools_cancellationproposal", "pools_cancellation"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET reason = ''")

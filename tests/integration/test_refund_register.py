"""The register of refunds: every stake of a pool that goes back, by its channel, tied to the ledger (L1, L2)."""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from payouts.queries.refund_terms import refund_deadline
from payouts.queries.refunds import RefundReason, RefundState, RefundWay
from payouts.services.booking import book_payables
from payouts.services.refund_registers import make_refund_register, write_refund_register
from payouts.services.refund_watch import watch_refunds
from payouts.services.reports import make_report
from payouts.tasks import book_due_payables, credit_due_accounts, watch_due_refunds
from pools.models import Pool
from tests.all_channels import bet_every_way, make_town
from tests.cancelled_pools import cancel, register_of
from tests.disputing import cancelled
from tests.integration.test_every_channel import money_in
from tests.integration.test_reconcile import break_by
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, sell_slips
from tests.refusals import every_row, refused
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.csv_text import csv_rows
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db

BY_WAY = {
    RefundWay.ACCOUNT: (2, 200),
    RefundWay.CARD: (1, 100),
    RefundWay.CASH: (2, 200),
    RefundWay.AGENT: (1, 100),
    RefundWay.PAPER: (1, 100),
    RefundWay.TRANSFER: (1, 100),
}


def test_l1_a_cancelled_pool_is_registered_by_channel_accounts_get_theirs_at_once_and_again_changes_nothing() -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    bet_every_way(pool, town, "1", losers="X", more=0)
    before = money_in(town)
    cancel(pool)
    at = clock.now()
    register = register_of(pool)
    assert {way: (sums.tickets, sums.amount) for way, sums in register.by_way.items()} == BY_WAY
    assert (register.total.tickets, register.total.amount, register.total.by_state[RefundState.DECIDED]) == (
        8,
        800,
        800,
    )
    assert register.holds
    book_due_payables()
    credit_due_accounts()
    assert clock.now() - at < timedelta(minutes=1)  # nobody moved the clock: nothing waits for a day to come
    register = register_of(pool)
    assert {way: (sums.tickets, sums.amount) for way, sums in register.by_way.items()} == BY_WAY
    assert {row.reason for row in register.rows} == {RefundReason.CANCELLED_POOL}
    paid = {(row.way, row.method) for row in register.rows if row.state == RefundState.PAID}
    assert paid == {("account", "game_account"), ("card", "card"), ("transfer", "transfer")}
    figures = {name: (figure.ledger, figure.stated) for name, figure in register.figures.items()}
    assert figures == {"stakes": (800, 800), "paid": (400, 400), "lapsed": (0, 0), "unpaid": (400, 400)}
    gained = {way: amount - before[way] for way, amount in money_in(town).items()}
    assert gained == {"cash": 0, "agent": 0, "terminal": 0, "card": 100, "account": 100, "batch": 100}
    again = every_row()
    book_due_payables()
    credit_due_accounts()
    assert every_row() == again
    assert broken() == []


def test_l2_a_pool_under_its_minimum_and_one_whose_event_is_void_are_registered_alike() -> None:
    small = make_pool("sportloto-variant", terms={"min_turnover": 1_000})
    off, player = make_pool("sportloto-variant"), make_player(1_000)
    for pool in (small, off):
        bet_from_account(pool, player, "1", 100)
        sell(pool, ("X", 100))
    settle(small, "1")
    settle(off, "1", event_void=True)
    book_due_payables()
    credit_due_accounts()
    for pool in (small, off):
        register = register_of(pool)
        assert {row.reason for row in register.rows} == {RefundReason.RETURNED_POOL}
        assert {way: sums.by_state[RefundState.PAID] for way, sums in register.by_way.items()} == {
            RefundWay.ACCOUNT: 100,
            RefundWay.CASH: 0,
        }
        assert (register.total.amount, register.holds) == (200, True)


def test_bets_that_go_back_one_by_one_are_registered_with_their_reasons_whenever_they_were_cancelled() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    early, later, late, right = sell_slips(pool, till, ("1", 100), ("1", 100), ("1", 100), ("1", 100))
    cancelled(early.bet.ticket)
    assert [(row.ticket, row.reason) for row in register_of(pool).rows] == [(early.bet.ticket, "cancelled_bet")]
    settle(pool, "1", started_at=late.bet.registered_at.replace(microsecond=0) + timedelta(hours=1))
    book_payables(code=pool.code)
    cancelled(later.bet.ticket)
    register = register_of(pool)
    assert {row.ticket: (row.reason, row.state) for row in register.rows} == {
        early.bet.ticket: (RefundReason.CANCELLED_BET, RefundState.DUE),
        later.bet.ticket: (RefundReason.CANCELLED_BET, RefundState.DUE),
    }
    assert (register.total.amount, register.holds) == (200, True)
    assert pay(early, till).kind == "refund"
    assert register_of(pool).figures["paid"].ledger == 100
    assert register_of(pool).holds
    assert right.bet.ticket not in {row.ticket for row in register.rows}


def test_the_deadline_is_a_dated_number_of_days_and_what_is_overdue_is_flagged_once() -> None:
    assert refund_deadline(datetime(2026, 12, 5, 20, 59, tzinfo=UTC)) == datetime(2027, 1, 4, 21, tzinfo=UTC)
    pool, till = make_pool("sportloto-variant"), make_till()
    first, _second = sell_slips(pool, till, ("1", 100), ("2", 150 - 50))
    deadline = refund_deadline(cancel(pool).cancelled_at)
    book_due_payables()
    pay(first, till)
    go_to(deadline - timedelta(seconds=1))
    assert watch_refunds() == 0
    assert RefundState.OVERDUE not in {row.state for row in register_of(pool).rows}
    go_to(deadline)
    assert register_of(pool).total.by_state[RefundState.OVERDUE] == 100
    watch_due_refunds()
    watch_due_refunds()
    record = JournalRecord.objects.get(act="refunds_overdue")
    assert record.subject == f"pool:{pool.code}"
    assert record.after is not None
    assert {name: record.after[name] for name in ("tickets", "amount", "in_cash", "cash")} == {
        "tickets": 1,
        "amount": 100,
        "in_cash": 1,
        "cash": 100,
    }
    today = clock.today()
    events = make_report("events", today, today)
    with translation.override("en"):
        found = dict(zip(events.column("subject"), events.column("what"), strict=True))
    assert f"pool:{pool.code}" in found


def test_a_register_that_the_ledger_does_not_bear_out_says_so() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    cancel(pool)
    book_due_payables()
    assert register_of(pool).holds
    break_by(f"UPDATE accounts_entry SET amount = amount - 1 WHERE book = {pool.pk} AND key = 'cancel:refunds'")
    register = register_of(pool)
    assert (register.holds, register.figures["stakes"].ledger, register.figures["stakes"].stated) == (False, 199, 200)


def test_it_is_written_as_a_table_without_formulas_and_as_json(tmp_path: Path) -> None:
    pool = make_pool("sportloto-variant", code="-7")
    (slip,) = sell_slips(pool, make_till(), ("1", 100))
    cancel(pool)
    book_due_payables()
    register = make_refund_register(pool.code)
    with translation.override("en"):
        rows = [row for _line, row in csv_rows(write_refund_register(register, "csv").decode("utf-8"))]
    assert rows[0] == ["Register of refunds", "'-7"]
    assert rows[2] == ["The ledger says the same", "yes"]
    ticket = next(row for row in rows if row and row[0] == f"'{slip.bet.ticket}")
    assert ticket[3] == "1,00"
    assert rows[-1][:3] == ["Total", "1", "1,00"]
    file = tmp_path / "register.json"
    call_command("refund_register", "--output", str(file), "--format", "json", "--", pool.code)
    document = json.loads(file.read_bytes())
    assert (document["pool"], document["holds"], document["total"]["due"]) == ("-7", True, "1.00")
    assert document["refunds"][0]["ticket"] == slip.bet.ticket
    assert [channel["channel"] for channel in document["channels"]] == ["cash"]
    with pytest.raises(CommandError, match="NONE"):
        call_command("refund_register", "NONE", stdout=StringIO())
    assert refused(partial(write_refund_register, register, "pdf")).code == Refusal.BAD_VALUE


def test_a_pool_that_returns_nothing_has_an_empty_register() -> None:
    pool: Pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    register = register_of(pool)
    assert (list(register.rows), register.holds, register.by_way) == ([], True, {})

"""Crediting game accounts: from the next day, each ticket once, tax withheld (¶12, ¶40-42, C09, C22)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from accounts.ledger.balances import balance, statement
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Entry, Transfer
from payouts.models import MOVES, Payable, PayableState, Payment, PaymentMethod
from payouts.queries import pools_due_to_credit
from payouts.services import crediting, paying
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.paying import AlreadySettled, settle_payables
from payouts.tasks import book_due_payables, credit_due_accounts
from pools.models import Pool
from tests.making import account_of, bet_from_account, make_player, make_pool
from tests.paying import broken, go_to, money_of, payable_from, payable_until, states_of
from tests.refusals import every_row
from tests.settling import owed, sell, settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db
TWO_RUBLES = {"price": {"line": 100}, "fund": "1"}


def untaxed() -> None:
    LegalNumber.objects.filter(name="winning_tax_rate").update(value="0")


def tax_due() -> int:
    return balance(ledger_account(AccountKind.TAX_DUE))


def test_c09_fifteen_tickets_of_one_player_are_fifteen_payments() -> None:
    untaxed()
    pool, player = make_pool("sportloto-variant", terms=TWO_RUBLES), make_player(1_500)
    tickets = [bet_from_account(pool, player, "1", 100).bet.ticket for _ in range(15)]
    sell(pool, *[("X", 100)] * 15)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 15
    lines = [line for line in statement(account_of(player).ledger_account) if line.kind == "winning_paid"]
    assert [line.change for line in lines] == [200] * 15
    assert sorted(line.cause for line in lines) == sorted(f"bet:{ticket}" for ticket in tickets)
    assert money_of(player) == 3_000
    assert Payment.objects.filter(pool=pool, method=PaymentMethod.GAME_ACCOUNT).count() == 15


def test_tax_is_withheld_and_the_payment_says_so() -> None:
    pool, player = make_pool("sportloto-variant", terms=TWO_RUBLES), make_player(100)
    ticket = bet_from_account(pool, player, "1", 100).bet.ticket
    sell(pool, *[("X", 100)] * 99)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    payment = Payment.objects.get(pool=pool, ticket=ticket)
    assert (payment.gross, payment.tax, payment.net, payment.till) == (10_000, 500, 9_500, None)
    assert (money_of(player), tax_due(), owed(AccountKind.WINNINGS_DUE, pool)) == (9_500, 500, 0)
    transfer = Transfer.objects.get(kind="winning_paid")
    assert (transfer.book, transfer.key, transfer.occurred_at) == (pool.pk, f"winning-paid:{ticket}", payment.paid_at)
    assert sorted(Entry.objects.filter(key=transfer.key).values_list("amount", flat=True)) == [500, 9_500]
    assert broken() == []


@pytest.mark.parametrize(
    ("paid_at", "tax"),
    [(datetime(2025, 12, 31, 20, 59, 50, tzinfo=UTC), 400), (datetime(2025, 12, 31, 21, 0, 10, tzinfo=UTC), 500)],
)
def test_a4_the_day_of_payment_in_minsk_decides_the_rate(paid_at: datetime, tax: int) -> None:
    go_to(datetime(2025, 12, 20, 9, tzinfo=UTC))
    pool, player = make_pool("sportloto-variant", terms=TWO_RUBLES), make_player(100)
    bet_from_account(pool, player, "1", 100)
    sell(pool, *[("X", 100)] * 99)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(paid_at)
    credit_accounts(code=pool.code)
    assert Payment.objects.values_list("gross", "tax").get(pool=pool) == (10_000, tax)


def test_p12_nothing_is_credited_before_the_next_day() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(100)
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    assert payable_from(pool).astimezone(UTC).strftime("%H:%M:%S") == "21:00:00"  # midnight in Minsk
    go_to(payable_from(pool) - timedelta(seconds=5))
    before = every_row()
    assert credit_accounts(code=pool.code) == 0
    assert not pools_due_to_credit(clock.now()).exists()
    assert every_row() == before
    clock.move_clock(timedelta(seconds=5))
    assert list(pools_due_to_credit(clock.now())) == [pool]
    assert credit_accounts(code=pool.code) == 1


def test_an_account_is_credited_however_late_the_organizer_is() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(100)
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_until(pool) + timedelta(days=1))
    assert credit_accounts(code=pool.code) == 1
    assert money_of(player) == 70 - 4  # 3.5 kopecks of tax are 4


def test_a_returned_stake_is_credited_at_once_and_untaxed() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(100)
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1", event_void=True)
    book_due_payables()
    credit_due_accounts()
    assert (money_of(player), tax_due(), owed(AccountKind.REFUNDS_DUE, pool)) == (100, 0, 0)
    assert Payment.objects.values_list("kind", "gross", "tax").get(pool=pool) == ("refund", 100, 0)
    assert broken() == []


def test_chunks_are_journalled_each_with_its_sums_and_a_second_run_pays_nothing() -> None:
    pool, player = make_pool("sportloto-variant", terms=TWO_RUBLES), make_player(700)
    for _ in range(7):
        bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code, chunk=3) == 7
    records = JournalRecord.objects.filter(act="credit_accounts").order_by("id")
    assert [record.after for record in records] == [
        {"rows": 3, "gross": 300, "tax": 15, "net": 285},
        {"rows": 3, "gross": 300, "tax": 15, "net": 285},
        {"rows": 1, "gross": 100, "tax": 5, "net": 95},
    ]
    before = every_row()
    assert credit_accounts(code=pool.code) == 0
    credit_due_accounts()
    assert every_row() == before


def test_a_failing_chunk_leaves_the_paid_ones_paid_and_itself_due(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, player = make_pool("sportloto-variant", terms=TWO_RUBLES), make_player(600)
    for _ in range(6):
        bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    chunks = 0

    def fail_at_second(*arguments: object, **named: object) -> None:
        nonlocal chunks
        chunks += 1
        if chunks == 2:
            raise KeyboardInterrupt
        settle_payables(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(crediting, "settle_payables", fail_at_second)
    with pytest.raises(KeyboardInterrupt):
        credit_accounts(code=pool.code, chunk=3)
    assert (Payment.objects.count(), money_of(player)) == (3, 285)
    assert sorted(states_of(pool).values()) == ["due"] * 3 + ["paid"] * 3
    assert credit_accounts(code=pool.code, chunk=3) == 3
    assert (Payment.objects.count(), money_of(player)) == (6, 570)
    assert broken() == []


def test_a_payable_is_settled_only_from_due() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(200)
    for _ in range(2):
        bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    first, second = Payable.objects.filter(pool=pool)
    settle_payables([first], PayableState.EXPIRED, at=clock.now())
    before = every_row()
    with pytest.raises(AlreadySettled, match="1 of 2"), transaction.atomic():
        settle_payables([first, second], PayableState.PAID, at=clock.now())
    assert every_row() == before


def test_every_pair_of_states_is_a_move_or_refused() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(100)
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    payable, at = Payable.objects.get(pool=pool), clock.now()
    for came_from in PayableState:
        for to in PayableState:
            settled_at = None if came_from == PayableState.DUE else at
            with transaction.atomic():
                Payable.objects.filter(pool=pool).update(state=came_from, settled_at=settled_at)
                if to in MOVES[came_from]:
                    settle_payables([payable], to, at=at)
                else:
                    with pytest.raises((AlreadySettled, AssertionError)), transaction.atomic():
                        settle_payables([payable], to, at=at)
                assert states_of(pool)[payable.ticket] == (to if to in MOVES[came_from] else came_from)
                transaction.set_rollback(True)  # the database itself lets no settled payable become due again


def test_c28_one_bad_pool_does_not_keep_the_others_from_being_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    player, pools = make_player(300), [make_pool("sportloto-variant") for _ in range(3)]
    for pool in pools:
        bet_from_account(pool, player, "1", 100)
        settle(pool, "1")
    go_to(max(payable_from(pool) for pool in pools))
    book_due_payables()
    bad = pools[0]
    open_desk = paying.open_desk

    def fail_for_bad(pool: Pool, *, at: datetime) -> paying.Desk:
        if pool == bad:
            raise RuntimeError("out of order")
        return open_desk(pool, at=at)

    monkeypatch.setattr(crediting, "open_desk", fail_for_bad)
    for _ in range(2):
        credit_due_accounts()
    assert {pool.code for pool in pools_due_to_credit(clock.now())} == {bad.code}
    assert Payment.objects.count() == 2
    (report,) = JournalRecord.objects.filter(act="credit_accounts_failed")
    assert (report.subject, report.reason) == (f"pool:{bad.code}", "RuntimeError: out of order")

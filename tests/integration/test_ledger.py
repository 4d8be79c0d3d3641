"""The ledger: posting, reversing, reading; and what the database itself refuses."""

from collections.abc import Sequence
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from accounts.ledger.balances import StatementLine, balance, entries_balance, statement, trial_balance
from accounts.ledger.kinds import TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, NewTransfer, post, post_many
from accounts.ledger.reversal import reverse
from accounts.models import Entry, Transfer
from tests.posting import bank, game_account, move, post_all, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db


def test_a_transfer_is_written_with_its_entries_and_counters() -> None:
    account, other, at = game_account(), game_account("2"), clock.now()
    with transaction.atomic():
        transfer = post(
            book=7,
            key="k",
            kind=TransferKind.DEPOSIT,
            occurred_at=at,
            cause="test",
            movements=[Movement(bank(), account, 300), Movement(account, other, 100)],
        )
    assert Transfer.objects.get(book=7, key="k") == transfer
    assert Transfer.objects.values_list("kind", "occurred_at", "cause", "reversal_of").get() == (
        "deposit",
        at,
        "test",
        None,
    )
    assert list(Entry.objects.order_by("line").values_list("line", "debit", "credit", "amount")) == [
        (0, bank().pk, account.pk, 300),
        (1, account.pk, other.pk, 100),
    ]
    account.refresh_from_db()
    assert (account.debits, account.credits, bank().debits) == (100, 300, None)
    assert (balance(account), balance(other), balance(bank())) == (200, 100, 300)


def test_an_account_is_opened_once_with_the_sides_of_its_kind() -> None:
    assert game_account().pk == game_account().pk
    assert (game_account().guarded, game_account().debit_normal) == (True, False)
    assert (bank().guarded, bank().debit_normal) == (False, True)


def test_a_key_happens_once_in_its_book_and_the_transaction_goes_on() -> None:
    account = game_account()
    with transaction.atomic():
        post_many([move("once", bank(), account, 5)])
        before = written()
        with pytest.raises(DuplicateTransfer, match="0/once"):
            post_many([move("once", bank(), account, 7)])
        assert written() == before
        post_many([move("another", bank(), account, 1)])
    assert balance(account) == 6


def test_the_same_key_in_another_book_is_another_transfer() -> None:
    account, at = game_account(), clock.now()
    with transaction.atomic():
        for book in (1, 2):
            post(
                book=book,
                key="k",
                kind=TransferKind.DEPOSIT,
                occurred_at=at,
                cause="test",
                movements=[Movement(bank(), account, book)],
            )
    assert (balance(account), entries_balance(account, book=2)) == (3, 2)


def test_many_are_all_or_none_even_when_the_refusal_is_caught() -> None:
    account = game_account()
    post_all(move("old", bank(), account, 5))
    before = written()
    with transaction.atomic():
        with pytest.raises(DuplicateTransfer):
            post_many([move("new", bank(), account, 1), move("old", bank(), account, 1)])
        assert transaction.get_rollback()
    assert written() == before


def test_an_overdraft_is_refused_with_the_sums_and_leaves_nothing() -> None:
    account = game_account()
    post_all(move("in", bank(), account, 100))
    before = written()
    with transaction.atomic():
        with pytest.raises(DomainError) as caught:
            post_many([move("out", account, bank(), 101)])
        assert transaction.get_rollback()
    assert caught.value.code == Refusal.INSUFFICIENT_FUNDS
    assert caught.value.details == {"account": "game_account:1", "needed": 101, "available": 100}
    assert written() == before


def test_of_many_accounts_the_one_without_money_stops_all() -> None:
    rich, poor = game_account("rich"), game_account("poor")
    post_all(move("in", bank(), rich, 100))
    before = written()
    with pytest.raises(DomainError) as caught:
        post_all(move("a", rich, bank(), 100), move("b", poor, bank(), 1))
    assert caught.value.details["account"] == "game_account:poor"
    assert written() == before


def test_an_account_may_pay_out_what_the_same_call_brings() -> None:
    account = game_account()
    post_all(move("out", account, bank(), 40), move("in", bank(), account, 40))
    assert (balance(account), Entry.objects.count()) == (0, 2)


def test_a_transfer_moves_something_and_no_transfers_are_nothing() -> None:
    with pytest.raises(ValueError, match="moves something"):
        NewTransfer("k", TransferKind.DEPOSIT, clock.now(), "test", [])
    post_all()
    assert Transfer.objects.count() == 0


def test_a_thousand_transfers_take_four_statements() -> None:
    accounts = [game_account(str(number)) for number in range(10)]
    transfers = [move(f"k{number}", bank(), accounts[number % 10], number + 1) for number in range(1_000)]
    counter = Counting()
    with transaction.atomic(), connection.execute_wrapper(counter):
        post_many(transfers)
    assert counter.statements == ["INSERT", "INSERT", "SELECT", "UPDATE"]
    assert sum(balance(account) for account in accounts) == balance(bank()) == 500_500


class Counting:
    """Notes the first word of every statement."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def __call__(self, execute, sql, params, many, context):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        self.statements.append(sql.split(None, 1)[0])
        return execute(sql, params, many, context)


def test_a_reversal_mirrors_and_happens_once() -> None:
    account = game_account()
    post_all(move("in", bank(), account, 70))
    transfer = Transfer.objects.get(key="in")
    with transaction.atomic():
        reversal = reverse(transfer, occurred_at=clock.now(), cause="act 5")
    assert (reversal.kind, reversal.reversal_of, balance(account), balance(bank())) == ("reversal", "in", 0, 0)
    before = written()
    with transaction.atomic(), pytest.raises(DuplicateTransfer):
        reverse(transfer, occurred_at=clock.now(), cause="act 6")
    assert written() == before


def test_what_has_moved_on_cannot_be_reversed() -> None:
    account = game_account()
    post_all(move("in", bank(), account, 70), move("out", account, bank(), 1))
    before = written()
    with pytest.raises(DomainError) as caught, transaction.atomic():
        reverse(Transfer.objects.get(key="in"), occurred_at=clock.now(), cause="act 5")
    assert caught.value.code == Refusal.INSUFFICIENT_FUNDS
    assert written() == before


def test_a_statement_runs_to_the_balance() -> None:
    account = game_account()
    post_all(move("a", bank(), account, 100))
    post_all(move("b", account, bank(), 30))
    post_all(move("c", bank(), account, 5))
    lines: Sequence[StatementLine] = list(statement(account))
    assert [(line.change, line.balance) for line in lines] == [(100, 100), (-30, 70), (5, 75)]
    assert lines[-1].balance == balance(account) == entries_balance(account)


def test_the_trial_balance_adds_up_to_nothing_and_is_printed() -> None:
    account = game_account()
    post_all(move("a", bank(), account, 12_345))
    assert trial_balance() == {"bank": 12_345, "game_account": -12_345}
    printed = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("trial_balance", stdout=printed)
    assert ended.value.code == 0
    assert [line.split() for line in printed.getvalue().splitlines()] == [
        ["bank", "123.45"],
        ["game_account", "-123.45"],
        ["sum", "0.00"],
    ]

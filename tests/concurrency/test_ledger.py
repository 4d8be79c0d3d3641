"""Transfers that race: for one balance, for one key, over the same accounts in every order. Real threads."""

from collections.abc import Mapping
from functools import partial
from itertools import permutations

import pytest
from django.db import connection, transaction

from accounts.ledger import posting
from accounts.ledger.balances import balance, entries_balance, trial_balance
from accounts.ledger.posting import DuplicateTransfer, post_many
from accounts.models import Entry, Transfer
from tests.concurrency.racing import race
from tests.paying import broken
from tests.posting import bank, game_account, move, post_all, written
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_c33_ten_transfers_of_the_whole_balance_are_one() -> None:
    """The conditional update decides: had the CHECK been hit, an IntegrityError would have come out of the race."""
    account, house = game_account(), bank()
    post_all(move("in", house, account, 10_000))
    results = race([partial(post_all, move(f"out-{number}", account, house, 10_000)) for number in range(10)])
    refusals = [result.code for result in results if isinstance(result, DomainError)]
    assert refusals == [Refusal.INSUFFICIENT_FUNDS] * 9
    assert (balance(account), entries_balance(account), Transfer.objects.count()) == (0, 0, 2)
    assert broken() == []


def test_c33_negative_control_a_balance_read_before_the_lock_passes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same race with a read and then a write: more than one passes the reading, and only the CHECK stops it."""
    account, house = game_account(), bank()
    post_all(move("in", house, account, 10_000))

    def read_then_write(growth: Mapping[int, posting._Growth]) -> None:
        (wanted,) = growth.values()
        if posting.balance_of_guarded(wanted.account) + wanted.credits < wanted.debits:
            raise DomainError(Refusal.INSUFFICIENT_FUNDS, "too little")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.2)")
            cursor.execute(
                "UPDATE accounts_ledgeraccount SET debits = debits + %s, credits = credits + %s WHERE id = %s",
                [wanted.debits, wanted.credits, wanted.account.pk],
            )

    def out(number: int) -> str:
        try:
            post_all(move(f"out-{number}", account, house, 10_000))
        except Exception as fault:  # noqa: BLE001  the CHECK's IntegrityError is what this test looks for
            return str(fault)
        return ""

    monkeypatch.setattr(posting, "_grow", read_then_write)
    results = race([partial(out, number) for number in range(4)])
    assert any("ledger_never_overdrawn" in str(result) for result in results)


def test_c34_no_addition_is_lost_and_no_two_transfers_lock_each_other_out() -> None:
    """Six threads move money round three accounts, each in another order, a hundred times."""
    accounts, house = [game_account(str(number)) for number in range(3)], bank()
    post_all(*(move(f"in-{account.owner}", house, account, 100_000) for account in accounts))

    def go_round(thread: int, order: tuple[int, ...]) -> None:
        first, second, third = (accounts[number] for number in order)
        for turn in range(50):
            key = f"{thread}-{turn}"
            post_all(
                move(f"{key}-a", first, second, 7),
                move(f"{key}-b", second, third, 5),
                move(f"{key}-c", third, first, 3),
            )
            post_all(move(f"{key}-d", house, first, 1))

    results = race([partial(go_round, thread, order) for thread, order in enumerate(permutations(range(3)))])
    assert results == [None] * 6
    assert Entry.objects.count() == 3 + 6 * 50 * 4
    assert [balance(account) for account in accounts] == [entries_balance(account) for account in accounts]
    assert sum(balance(account) for account in accounts) == balance(house) == 300_000 + 300
    assert sum(trial_balance().values()) == 0
    assert broken() == []


def test_c34_negative_control_a_total_that_is_read_and_written_loses_additions(monkeypatch: pytest.MonkeyPatch) -> None:
    account, house = game_account(), bank()

    def read_then_write(growth: Mapping[int, posting._Growth]) -> None:
        (wanted,) = growth.values()
        credits = posting.balance_of_guarded(wanted.account)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.1)")
            cursor.execute(
                "UPDATE accounts_ledgeraccount SET credits = GREATEST(credits, %s) WHERE id = %s",
                [credits + wanted.credits, wanted.account.pk],
            )

    monkeypatch.setattr(posting, "_grow", read_then_write)
    race([partial(post_all, move(f"in-{number}", house, account, 10)) for number in range(4)])
    assert entries_balance(account) == 40
    assert balance(account) < 40
    assert broken() == ["counters of guarded accounts equal the sums of their entries"]


def test_of_ten_with_one_key_one_is_written() -> None:
    account, house = game_account(), bank()

    def once() -> bool:
        try:
            post_all(move("one key", house, account, 10))
        except DuplicateTransfer:
            return False
        return True

    assert sorted(bool(result) for result in race([once] * 10)) == [False] * 9 + [True]
    assert (balance(account), Entry.objects.count()) == (10, 1)


def test_a_key_whose_first_writer_rolled_back_is_free() -> None:
    account, house = game_account(), bank()

    def roll_back() -> None:
        with transaction.atomic():
            post_many([move("one key", house, account, 10)])
            transaction.set_rollback(True)

    before = written()
    race([roll_back] * 4)
    assert written() == before
    post_all(move("one key", house, account, 10))
    assert balance(account) == 10

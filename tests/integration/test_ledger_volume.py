"""The ledger with 100,000 accounts and 1,000,000 entries on the house's account (C48)."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from django.db import connection

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import LedgerAccount, Role
from accounts.services.game_accounts import open_game_account
from tests.making import account_of, make_player, make_user
from tests.topping_up import pay_in

pytestmark = pytest.mark.django_db

ACCOUNTS, EACH = 100_000, 10


def load() -> None:
    """Write the accounts, and ten deposits for each from the bank; account `many-n` gets n kopecks each time.

    A million rows are checked for their foreign keys one by one: within this test's transaction there are none, and
    its rollback brings them back.
    """
    bank = ledger_account(AccountKind.BANK)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for name in _foreign_keys():
            cursor.execute(f'ALTER TABLE accounts_entry DROP CONSTRAINT "{name}"')
        cursor.execute(
            "INSERT INTO accounts_ledgeraccount (kind, owner, guarded, debit_normal, debits, credits)"
            " SELECT 'game_account', 'many-' || n, true, false, 0, %s * n FROM generate_series(1, %s) n",
            [EACH, ACCOUNTS],
        )
        cursor.execute(
            "INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)"
            " SELECT 0, 'many-' || n, 'deposit', now(), 'test' FROM generate_series(1, %s) n",
            [EACH * ACCOUNTS // 10_000],
        )
        cursor.execute(
            "INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)"
            " SELECT 0, 'many-' || 1 + (r - 1) / 10000, (r - 1) %% 10000, %s, id, n FROM ("
            "  SELECT a.id, substr(a.owner, 6)::bigint AS n, row_number() OVER () AS r"
            "  FROM accounts_ledgeraccount a, generate_series(1, %s) WHERE a.owner LIKE 'many-%%') numbered",
            [bank.pk, EACH],
        )
        assert cursor.rowcount == EACH * ACCOUNTS
        cursor.execute("ANALYZE accounts_ledgeraccount, accounts_transfer, accounts_entry")


def _foreign_keys() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = 'accounts_entry'::regclass AND contype = 'f'"
        )
        return [name for (name,) in cursor.fetchall()]


class Explaining:
    """Asks PostgreSQL, for every statement, how it will find its rows."""

    def __init__(self) -> None:
        self.scans: set[tuple[str, str]] = set()

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.split(None, 1)[0] in ("SELECT", "INSERT", "UPDATE"):
            with connection.connection.cursor() as cursor:
                cursor.execute("EXPLAIN (FORMAT JSON) " + sql, params)
                (plan,) = cursor.fetchone()
            self.scans |= {
                (node["Node Type"], node["Relation Name"]) for node in _nodes(plan) if "Relation Name" in node
            }
        return execute(sql, params, many, context)

    @property
    def whole_tables(self) -> set[str]:
        """Tables of the ledger that are read from end to end."""
        return {table for scan, table in self.scans if "Seq" in scan and table in LEDGER}


LEDGER = {"accounts_ledgeraccount", "accounts_transfer", "accounts_entry"}


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    for each in plan if isinstance(plan, list) else [plan]:
        node = each.get("Plan", each)
        yield node
        yield from _nodes(node.get("Plans", []))


def explained(act: Callable[[], object]) -> Explaining:
    explaining = Explaining()
    with connection.execute_wrapper(explaining):
        act()
    return explaining


def quickest(acts: Sequence[Callable[[], object]]) -> float:
    """Milliseconds of the quickest of several: what the act itself takes on a machine that others use too."""
    taken = []
    for act in acts:
        began = time.perf_counter()
        act()
        taken.append((time.perf_counter() - began) * 1_000)
    return min(taken)


def test_c48_many_accounts_and_a_long_history_are_never_read_through() -> None:
    load()
    player = make_player(500)
    account = account_of(player)
    some = LedgerAccount.objects.get(owner="many-70000")

    new_players = [make_user(Role.PLAYER) for _ in range(6)]
    opening = explained(lambda: open_game_account(player=new_players[0]))
    paying_in = explained(lambda: pay_in(player, 5))
    reading = explained(lambda: balance(some))
    summing = explained(lambda: entries_balance(some))
    for explaining in (opening, paying_in, reading, summing):
        assert explaining.scans
        assert explaining.whole_tables == set()
    assert {scan for scan, table in summing.scans if table == "accounts_entry"} <= {
        "Index Scan",
        "Index Only Scan",
        "Bitmap Heap Scan",
    }

    assert balance(some) == entries_balance(some) == 700_000
    assert balance(account.ledger_account) == entries_balance(account.ledger_account) == 505
    assert quickest([partial(open_game_account, player=person) for person in new_players[1:]]) < 50
    assert quickest([partial(balance, some)] * 5) < 20

    with connection.cursor() as cursor:  # the negative control: without the index the history is read through
        cursor.execute("DROP INDEX ledger_credits")
    assert explained(lambda: entries_balance(some)).whole_tables == {"accounts_entry"}

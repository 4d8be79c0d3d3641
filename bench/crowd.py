"""Many players, set-wise: a million bets are made by thousands of people, not by a few."""

from typing import Any

from django.db import connection

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role
from bench.people import Bettors
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.transactions import one_transaction

_USERS = """
INSERT INTO accounts_user (username, email, role, password, is_superuser, first_name, last_name, is_staff, is_active,
                           date_joined)
SELECT 'crowd' || n, 'crowd' || n || '@example.org', %(role)s, '!', false, '', '', false, true, %(now)s
FROM generate_series(1, %(count)s) AS n ORDER BY n
"""
_ACCOUNTS = """
INSERT INTO accounts_ledgeraccount (kind, owner, guarded, debit_normal, debits, credits)
SELECT %(kind)s, u.id::text, true, false, 0, 0 FROM accounts_user u WHERE u.username LIKE 'crowd%%' ORDER BY u.id
"""
_GAME_ACCOUNTS = """
INSERT INTO accounts_gameaccount (player_id, ledger_account_id, opened_at, state)
SELECT u.id, a.id, %(now)s, 'active'
FROM accounts_user u JOIN accounts_ledgeraccount a ON a.kind = %(kind)s AND a.owner = u.id::text
WHERE u.username LIKE 'crowd%%' ORDER BY u.id
"""
_PERSONS = """
INSERT INTO accounts_person (player_id) SELECT id FROM accounts_user WHERE username LIKE 'crowd%' ORDER BY id
"""
_NUMBERS = """
SELECT min(g.ledger_account_id), max(g.ledger_account_id), min(g.player_id - g.ledger_account_id),
       max(g.player_id - g.ledger_account_id)
FROM accounts_gameaccount g JOIN accounts_user u ON u.id = g.player_id WHERE u.username LIKE 'crowd%'
"""


def make_crowd(count: int) -> None:
    """Make players with empty game accounts, numbered without gaps; what they stake is loaded past the accounts."""
    told: dict[str, Any] = {"count": count, "now": clock.now(), "role": Role.PLAYER, "kind": AccountKind.GAME_ACCOUNT}
    with one_transaction(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE accounts_user, accounts_ledgeraccount IN EXCLUSIVE MODE")
        for statement in (_USERS, _ACCOUNTS, _GAME_ACCOUNTS):
            cursor.execute(statement, told)
        cursor.execute(_PERSONS)


def crowd_in(pool: Pool) -> Bettors:
    """Return how the players' accounts are numbered, and the pot of the pool that they bet in."""
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERS)
        first, last, offset, same = cursor.fetchone()
    assert offset == same, "players and accounts were made in one go, so their numbers run alike"
    return Bettors(first, last, offset, ledger_account(AccountKind.POOL_POT, pool.code).pk)

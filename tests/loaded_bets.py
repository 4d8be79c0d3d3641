"""Bets by the hundred thousand, written by one statement: for tests and measurements of what reads them."""

from django.db import connection, transaction

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from pools.models import Pool
from tests.making import make_till
from totalizator.core import clock

# One bet in twenty is a system coupon: two marks in every fourth condition. A single mark is the first outcome three
# times in five. What is picked depends on nothing but the bet's number. For conditions of three outcomes.
_LOAD_SQL = """
INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, till_id,
                       terms_digest, rules_version, salt, check_hash)
SELECT %(pool)s, %(code)s || '-' || lpad(upper(to_hex(n)), 10, '0'), coupon.bits::varbit, coupon.lines,
       coupon.lines * %(price)s, %(first)s + n * interval '1 microsecond', 'cash', %(account)s, %(till)s,
       %(terms)s, %(rules)s, decode(md5(n::text), 'hex'), sha256(n::text::bytea)
FROM generate_series(1, %(count)s) AS n
CROSS JOIN LATERAL (
    SELECT string_agg(
               CASE WHEN n %% 20 = 0 AND c %% 4 = n / 20 %% 4
                    THEN ('{110,101,011}'::text[])[1 + abs(hashint4(n * 31 + c)::bigint) %% 3]
                    ELSE ('{100,100,100,010,001}'::text[])[1 + abs(hashint4(n * 31 + c)::bigint) %% 5] END,
               '' ORDER BY c) AS bits,
           CASE WHEN n %% 20 = 0 THEN 1 << count(*) FILTER (WHERE c %% 4 = n / 20 %% 4)::int ELSE 1 END::bigint AS lines
    FROM generate_series(1, %(conditions)s) AS c
) AS coupon
"""
_STAKE_SQL = (
    """
    INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)
    SELECT pool_id, 'stake:' || ticket, 'stake', registered_at, 'bet:' || ticket FROM pools_bet
    WHERE pool_id = %(pool)s AND paid_from_id = %(account)s
    """,
    """
    INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
    SELECT pool_id, 'stake:' || ticket, 0, paid_from_id, %(pot)s, stake FROM pools_bet
    WHERE pool_id = %(pool)s AND paid_from_id = %(account)s
    """,
    """
    UPDATE accounts_ledgeraccount SET debits = debits + taken.total
    FROM (SELECT sum(stake) AS total FROM pools_bet WHERE pool_id = %(pool)s AND paid_from_id = %(account)s) AS taken
    WHERE id = %(account)s
    """,
)


def load_bets(pool: Pool, count: int) -> int:
    """Write `count` bets, paid in cash, and return their turnover in kopecks; the pool must be on sale."""
    till, price = make_till(), pool.terms.price.line or pool.terms.price.least
    at, pot = clock.now(), ledger_account(AccountKind.POOL_POT, pool.code)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            _LOAD_SQL,
            {
                "pool": pool.pk,
                "code": pool.code,
                "price": price,
                "first": at,
                "account": till.ledger_account_id,
                "till": till.pk,
                "terms": pool.terms_digest,
                "rules": pool.terms.rules_version,
                "count": count,
                "conditions": len(pool.terms.conditions),
            },
        )
        for statement in _STAKE_SQL:
            cursor.execute(statement, {"pool": pool.pk, "pot": pot.pk, "account": till.ledger_account_id})
            # Each entry looks its transfer up by a plan that the session may have kept from when the table was empty.
            cursor.execute("ANALYZE accounts_transfer")
        cursor.execute("SELECT sum(stake)::bigint FROM pools_bet WHERE pool_id = %s", [pool.pk])
        (turnover,) = cursor.fetchone()
        cursor.execute("ANALYZE pools_bet")
    return int(turnover)

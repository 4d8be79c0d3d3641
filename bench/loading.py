"""Filling a pool with bets set-wise: how they got there is not what is measured."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import product
from typing import Any

from django.db import connection

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from bench.game import CONDITIONS, PRICE, SIGNS
from bench.people import Bettors
from pools.models import Bet, Pool
from totalizator.core import clock
from totalizator.core.transactions import one_transaction

GROUP = 5  # conditions whose marks are drawn together
WEIGHTS = (2, 1, 1)  # the first sign is the favourite; it will also be the right one
SYSTEM_SHARE = "0.05"
DOUBLES = 2  # in a system coupon; its first conditions have two marks each

BETWEEN_BETS = timedelta(milliseconds=10)

# An odd multiplier modulo 2^32 gives every bet another number, in no order.
_LOAD = f"""
INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, player_id,
                       terms_digest, rules_version, salt, check_hash)
SELECT %(pool)s, %(code)s || '-' || upper(lpad(to_hex(number * 2654435761 %% 4294967296), 10, '0')),
       ((CASE WHEN system THEN (%(systems)s::text[])[1 + floor(first * %(system_count)s)::int]
              ELSE (%(singles)s::text[])[1 + floor(first * %(single_count)s)::int] END)
        || (%(singles)s::text[])[1 + floor(second * %(single_count)s)::int]
        || (%(singles)s::text[])[1 + floor(third * %(single_count)s)::int])::varbit,
       CASE WHEN system THEN {2**DOUBLES} ELSE 1 END,
       CASE WHEN system THEN {2**DOUBLES} ELSE 1 END * {PRICE},
       %(opens_at)s + number * %(between)s, 'account', account, account + %(offset)s,
       %(terms)s, %(rules)s, substr(sha256(number::text::bytea), 1, 16), sha256(number::text::bytea)
FROM (SELECT number, random() < {SYSTEM_SHARE} AS system, random() AS first, random() AS second, random() AS third,
             %(first_account)s + number %% (%(last_account)s - %(first_account)s + 1) AS account
      FROM generate_series(1::bigint, %(count)s::bigint) AS number) AS drawn
"""


def load_bets(pool: Pool, bettors: Bettors, count: int, weights: Sequence[int] = WEIGHTS) -> None:
    """Write `count` bets, every twentieth a system coupon, and the money of all of them into the pool's pot.

    `weights`: how often each sign is marked in a single coupon.
    """
    assert 3 * GROUP == CONDITIONS, "three groups are drawn for each bet"
    singles, systems = list(_single_groups(weights)), list(_system_groups())
    with one_transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0)")
        told: dict[str, Any] = {
            "pool": pool.pk,
            "code": pool.code,
            "singles": singles,
            "single_count": len(singles),
            "systems": systems,
            "system_count": len(systems),
            "opens_at": pool.opens_at,
            "between": BETWEEN_BETS,
            "offset": bettors.offset,
            "first_account": bettors.first_account,
            "last_account": bettors.last_account,
            "terms": pool.terms_digest,
            "rules": pool.terms.rules_version,
            "count": count,
        }
        cursor.execute(_LOAD, told)
        cursor.execute("SELECT sum(stake)::bigint FROM pools_bet WHERE pool_id = %s", [pool.pk])
        (turnover,) = cursor.fetchone()
        post(
            book=pool.pk,
            key="stake:loaded",
            kind=TransferKind.STAKE,
            occurred_at=clock.now(),
            cause=f"pool:{pool.code}",
            movements=[
                Movement(ledger_account(AccountKind.BANK), ledger_account(AccountKind.POOL_POT, pool.code), turnover)
            ],
        )
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {Bet._meta.db_table}")


def _single_groups(weights: Sequence[int]) -> Iterator[str]:
    """Yield the bits of every way to mark GROUP conditions once, each as often as it is likely."""
    marks = [place for place, weight in enumerate(weights) for _ in range(weight)]
    for places in product(marks, repeat=GROUP):
        yield _bits([[place] for place in places])


def _system_groups() -> Iterator[str]:
    """Yield the same with two marks in each of the first conditions."""
    pairs = ([0, 1], [0, 2], [1, 2])
    for doubles in product(pairs, repeat=DOUBLES):
        for places in product(range(len(SIGNS)), repeat=GROUP - DOUBLES):
            yield _bits([*doubles, *([place] for place in places)])


def _bits(marks: Sequence[Sequence[int]]) -> str:
    return "".join("1" if place in places else "0" for places in marks for place in range(len(SIGNS)))

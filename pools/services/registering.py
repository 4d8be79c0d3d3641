"""Writing what a bet is: its key, its money, its row and its line in the journal, all in one statement (¶9.14).

Each row is what `recall_or_reserve`, `post`, `insert_plainly` and `write_journal` would write one after another; a test
holds them together. In one statement a bet goes to the database once and not six times.
"""

import json
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db.models import Model

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import insufficient, ledger_account
from accounts.models import FiscalKind, LedgerAccount
from accounts.services.fiscal import queue_fiscal
from pools.models import Bet
from pools.services.attempts import Attempt, NewBet
from totalizator.core.columns import array
from totalizator.core.prepared import prepared_cursor


class KeyTaken(Exception):
    """A request with the same key came first: the transaction can only be rolled back, and the key asked again."""


class AccountTaken(Exception):
    """One of several accounts is held by somebody else, or is short: the transaction can only be rolled back."""


# A key that is taken yields no row, so nothing follows from it. Keys come before accounts (docs/locking.md).
_WRITE = """
WITH wanted AS (
    SELECT * FROM unnest(%(tickets)s::text[], %(bits)s::text[], %(lines)s::bigint[], %(stakes)s::bigint[],
                         %(salts)s::bytea[], %(check_hashes)s::bytea[], %(keys)s::bytea[], %(fingerprints)s::bytea[],
                         %(scopes)s::text[], %(actors)s::text[], %(accounts)s::bigint[], %(players)s::bigint[],
                         %(persons)s::bigint[])
        AS w (ticket, bits, lines, stake, salt, check_hash, key_digest, fingerprint, scope, actor, account, player,
              person)
), reserved AS (
    INSERT INTO core_replayedanswer (scope, key_digest, fingerprint, answer, created_at)
    SELECT scope, key_digest, fingerprint, ticket, %(now)s FROM wanted
    ON CONFLICT (scope, key_digest) DO NOTHING RETURNING answer
), new AS (
    SELECT wanted.* FROM wanted JOIN reserved ON reserved.answer = wanted.ticket
), transfers AS (
    INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)
    SELECT %(pool)s, 'stake:' || ticket, 'stake', %(now)s, 'bet:' || ticket FROM new
), entries AS (
    INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
    SELECT %(pool)s, 'stake:' || ticket, 0, account, %(pot)s, stake FROM new
), bets AS (
    INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, player_id,
                           till_id, sold_by_id, person_id, terms_digest, rules_version, salt, check_hash)
    SELECT %(pool)s, ticket, bits::varbit, lines, stake, %(now)s, %(channel)s, account, player, %(till)s,
           %(sold_by)s, person, %(terms)s, %(rules)s, salt, check_hash
    FROM new
), journal AS (
    INSERT INTO core_journalrecord (at, actor, act, subject, reason, before, after)
    SELECT %(now)s, actor, 'place_bet', 'bet:' || ticket, '', NULL,
           jsonb_build_object('lines', lines, 'stake', stake, 'channel', %(channel)s::text) || %(desk)s::jsonb
    FROM new
), due AS (
    SELECT account AS id, sum(stake)::bigint AS stake FROM new GROUP BY account
)"""
_DEBIT = """, debited AS (
    UPDATE accounts_ledgeraccount a SET debits = a.debits + due.stake FROM {due} AS due
    WHERE a.id = due.id AND a.guarded AND (a.debit_normal OR a.credits >= a.debits + due.stake)
    RETURNING a.id
)
SELECT (SELECT count(*) FROM new), (SELECT count(*) FROM debited)
"""
_REGISTER = _WRITE + _DEBIT.format(due="due")
# Who wants several accounts waits for none of them, so that no two ever wait for each other.
_FREE = """, free AS (
    SELECT a.id, due.stake FROM accounts_ledgeraccount a JOIN due ON due.id = a.id
    ORDER BY a.id FOR NO KEY UPDATE OF a SKIP LOCKED
)"""
_REGISTER_TOGETHER = _WRITE + _FREE + _DEBIT.format(due="free")


def register_bets(attempt: Attempt, new: Sequence[NewBet]) -> list[Bet]:
    """Write the bets of an attempt that every gate has let pass; all of them, or none.

    :raises KeyTaken: as it says.
    :raises DomainError: INSUFFICIENT_FUNDS; the transaction can only be rolled back.
    """
    account = attempt.source.account
    bets = [_bet(attempt, bet) for bet in new]
    debited = _write(_REGISTER, [(attempt, bet) for bet in new], bets)
    if account.guarded and not debited:
        raise insufficient(account, attempt.stake)
    if attempt.source.takes_cash and attempt.source.till is not None:
        for bet in bets:
            subject = f"bet:{bet.ticket}"
            queue_fiscal(
                till=attempt.source.till, kind=FiscalKind.SALE, subject=subject, amount=bet.stake, at=attempt.now
            )
    return bets


def register_together(wanted: Sequence[tuple[Attempt, NewBet]]) -> list[Bet]:
    """Write one bet from each of several game accounts, in one pool and at one instant; all of them, or none.

    :raises KeyTaken: as it says.
    :raises AccountTaken: as it says.
    """
    bets = [_bet(attempt, new) for attempt, new in wanted]
    if _write(_REGISTER_TOGETHER, wanted, bets) < len(bets):
        raise AccountTaken
    return bets


def _write(statement: str, wanted: Sequence[tuple[Attempt, NewBet]], bets: Sequence[Bet]) -> int:
    """Return how many accounts were debited; :raises KeyTaken: when a bet was not written."""
    with prepared_cursor() as cursor:
        cursor.execute(statement, _written(wanted, bets))
        written, debited = cursor.fetchone()
    if written < len(bets):
        raise KeyTaken
    return int(debited)


def _bet(attempt: Attempt, new: NewBet) -> Bet:
    source, pool, person = attempt.source, attempt.pool, None if attempt.source.player else attempt.source.person
    bet = Bet(
        pool_id=pool.pk,
        ticket=new.ticket,
        bits=new.coupon.bits,
        lines=new.coupon.lines,
        stake=new.stake,
        registered_at=attempt.now,
        channel=source.channel,
        paid_from_id=source.account.pk,
        player_id=_key(source.player),
        person_id=_key(person),
        till_id=_key(source.till),
        sold_by_id=_key(source.sold_by),
        terms_digest=pool.terms_digest,
        rules_version=pool.terms.rules_version,
        salt=secrets.token_bytes(16),
        check_hash=new.check_hash,
    )
    bet._state.adding = False
    # Django sets relations by their objects in as long as it takes to make the rest of the bet.
    known = {"pool": pool, "paid_from": source.account, "player": source.player, "person": person}
    related = known | {"till": source.till, "sold_by": source.sold_by}
    bet._state.fields_cache.update({name: row for name, row in related.items() if row is not None})
    return bet


def _key(row: Model | None) -> int | None:
    return row.pk if row is not None else None


def _written(wanted: Sequence[tuple[Attempt, NewBet]], bets: Sequence[Bet]) -> dict[str, Any]:
    attempt, first = wanted[0][0], bets[0]
    return {
        "tickets": array("text", [bet.ticket for bet in bets]),
        "bits": array("text", [bet.bits for bet in bets]),
        "lines": array("bigint", [bet.lines for bet in bets]),
        "stakes": array("bigint", [bet.stake for bet in bets]),
        "salts": array("bytea", [bet.salt for bet in bets]),
        "check_hashes": array("bytea", [new.check_hash for _, new in wanted]),
        "keys": array("bytea", [new.key_digest for _, new in wanted]),
        "fingerprints": array("bytea", [new.fingerprint for _, new in wanted]),
        "scopes": array("text", [attempt.source.scope for attempt, _ in wanted]),
        "actors": array("text", [attempt.source.actor for attempt, _ in wanted]),
        "accounts": array("bigint", [bet.paid_from_id for bet in bets]),
        "players": array("bigint", [bet.player_id for bet in bets]),
        "persons": array("bigint", [bet.person_id for bet in bets]),
        "now": attempt.now,
        "pool": first.pool_id,
        "pot": _pot(first.pool_id, attempt.pool.code).pk,
        "channel": str(attempt.source.channel),
        "till": first.till_id,
        "sold_by": first.sold_by_id,
        "terms": first.terms_digest,
        "rules": first.rules_version,
        "desk": json.dumps(attempt.source.desk),
    }


@lru_cache(maxsize=256)
def _pot(_pool_id: int, pool_code: str) -> LedgerAccount:
    """The pool's pot, opened at announcement; nothing of its row ever changes, so it can be kept."""
    return ledger_account(AccountKind.POOL_POT, pool_code)

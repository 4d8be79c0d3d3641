"""Writing what a bet is: its key, its money, its row and its line in the journal, all in one statement (¶9.14).

Each row is what `recall_or_reserve`, `post`, `insert_plainly` and `write_journal` would write one after another; a test
holds them together. In one statement a bet goes to the database once and not six times.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import insufficient, ledger_account
from accounts.models import FiscalKind, LedgerAccount
from accounts.services.fiscal import queue_fiscal
from pools.models import Bet
from pools.services.attempts import Attempt
from totalizator.core.prepared import prepared_cursor
from totalizator.engine.coupon import Coupon


class KeyTaken(Exception):
    """A request with the same key came first: the transaction can only be rolled back, and the key asked again."""


@dataclass(frozen=True, slots=True)
class NewBet:
    """A bet that may be registered; `stake` in kopecks."""

    ticket: str
    coupon: Coupon
    stake: int
    check_hash: bytes
    key_digest: bytes
    fingerprint: bytes


# A key that is taken yields no row, so nothing follows from it. The account is the last to be locked (docs/locking.md).
_REGISTER = """
WITH wanted AS (
    SELECT * FROM unnest(%(tickets)s::text[], %(bits)s::text[], %(lines)s::bigint[], %(stakes)s::bigint[],
                         %(salts)s::bytea[], %(check_hashes)s::bytea[], %(keys)s::bytea[], %(fingerprints)s::bytea[])
        AS w (ticket, bits, lines, stake, salt, check_hash, key_digest, fingerprint)
), reserved AS (
    INSERT INTO core_replayedanswer (scope, key_digest, fingerprint, answer, created_at)
    SELECT %(scope)s, key_digest, fingerprint, ticket, %(now)s FROM wanted
    ON CONFLICT (scope, key_digest) DO NOTHING RETURNING answer
), new AS (
    SELECT wanted.* FROM wanted JOIN reserved ON reserved.answer = wanted.ticket
), transfers AS (
    INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)
    SELECT %(pool)s, 'stake:' || ticket, 'stake', %(now)s, 'bet:' || ticket FROM new
), entries AS (
    INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
    SELECT %(pool)s, 'stake:' || ticket, 0, %(account)s, %(pot)s, stake FROM new
), bets AS (
    INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, player_id,
                           till_id, sold_by_id, person_id, terms_digest, rules_version, salt, check_hash)
    SELECT %(pool)s, ticket, bits::varbit, lines, stake, %(now)s, %(channel)s, %(account)s, %(player)s, %(till)s,
           %(sold_by)s, %(person)s, %(terms)s, %(rules)s, salt, check_hash
    FROM new
), journal AS (
    INSERT INTO core_journalrecord (at, actor, act, subject, reason, before, after)
    SELECT %(now)s, %(actor)s, 'place_bet', 'bet:' || ticket, '', NULL,
           jsonb_build_object('lines', lines, 'stake', stake, 'channel', %(channel)s::text) || %(desk)s::jsonb
    FROM new
), summed AS (
    SELECT count(*) AS bets, sum(stake)::bigint AS stake FROM new
), debited AS (
    UPDATE accounts_ledgeraccount a SET debits = a.debits + summed.stake FROM summed
    WHERE a.id = %(account)s AND a.guarded AND summed.bets > 0
      AND (a.debit_normal OR a.credits >= a.debits + summed.stake)
    RETURNING a.id
)
SELECT summed.bets, EXISTS (SELECT FROM debited) FROM summed
"""


def register_bets(attempt: Attempt, new: Sequence[NewBet]) -> list[Bet]:
    """Write the bets of an attempt that every gate has let pass; all of them, or none.

    :raises KeyTaken: as it says.
    :raises DomainError: INSUFFICIENT_FUNDS; the transaction can only be rolled back.
    """
    account, now = attempt.source.account, attempt.now
    bets = [_bet(attempt, bet) for bet in new]
    with prepared_cursor() as cursor:
        cursor.execute(_REGISTER, _written(attempt, new, bets))
        written, debited = cursor.fetchone()
    if written < len(new):
        raise KeyTaken
    if account.guarded and not debited:
        raise insufficient(account, attempt.stake)
    if attempt.source.takes_cash and attempt.source.till is not None:
        for bet in bets:
            subject = f"bet:{bet.ticket}"
            queue_fiscal(till=attempt.source.till, kind=FiscalKind.SALE, subject=subject, amount=bet.stake, at=now)
    return bets


def _bet(attempt: Attempt, new: NewBet) -> Bet:
    source, pool = attempt.source, attempt.pool
    bet = Bet(
        pool=pool,
        ticket=new.ticket,
        bits=new.coupon.bits,
        lines=new.coupon.lines,
        stake=new.stake,
        registered_at=attempt.now,
        channel=source.channel,
        paid_from=source.account,
        player=source.player,
        person=source.person if source.player is None else None,
        till=source.till,
        sold_by=source.sold_by,
        terms_digest=pool.terms_digest,
        rules_version=pool.terms.rules_version,
        salt=secrets.token_bytes(16),
        check_hash=new.check_hash,
    )
    bet._state.adding = False
    return bet


def _written(attempt: Attempt, new: Sequence[NewBet], bets: Sequence[Bet]) -> dict[str, Any]:
    source, first = attempt.source, bets[0]
    return {
        "tickets": [bet.ticket for bet in bets],
        "bits": [bet.bits for bet in bets],
        "lines": [bet.lines for bet in bets],
        "stakes": [bet.stake for bet in bets],
        "salts": [bet.salt for bet in bets],
        "check_hashes": [bet.check_hash for bet in bets],
        "keys": [bet.key_digest for bet in new],
        "fingerprints": [bet.fingerprint for bet in new],
        "scope": source.scope,
        "now": attempt.now,
        "pool": first.pool_id,
        "account": first.paid_from_id,
        "pot": _pot(attempt.pool.code).pk,
        "channel": str(source.channel),
        "player": first.player_id,
        "till": first.till_id,
        "sold_by": first.sold_by_id,
        "person": first.person_id,
        "terms": first.terms_digest,
        "rules": first.rules_version,
        "actor": source.actor,
        "desk": json.dumps(source.desk),
    }


@lru_cache(maxsize=256)
def _pot(pool_code: str) -> LedgerAccount:
    """The pool's pot, opened at announcement; nothing of its row ever changes, so it can be kept."""
    return ledger_account(AccountKind.POOL_POT, pool_code)

"""Telling winners that they have won, or what a correction changed, and before the term ends: each once, by day (K6).

Who plays from an account, or has bound a ticket to one, is told on the own page and by a letter; the holder of a
ticket that is bound to a phone by a text message. A row for each kind and winner is written in the transaction that
queues the message: whatever dies or runs twice, nobody is told twice.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils.translation import override

from payouts.models import NoticeKind, PoolNotices, WinnerNotice
from payouts.queries.notices import due_on, phones_to_tell, reminding_until
from payouts.services.notice_phones import notice_cause
from payouts.services.notice_words import words_of
from payouts.services.text_messages import queue_message
from pools.locks import lock_pool
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_numbers
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import MINSK

CHUNK = 100
Values = Mapping[str, str | int | datetime]
# A message that the gateway could not take for so long is let go; the reminder, or the page, still tells.
GOOD_FOR = timedelta(days=3)
# A correction that is older is looked at no more: its players were told.
_CORRECTED_LATELY = timedelta(days=30)
_LETTERS = "payouts.tasks.send_notice_letters"

# Whose a ticket is: the player who bet, or who has shown it to be theirs.
_PLAYERS = """
INSERT INTO payouts_winnernotice (pool_id, kind, player_id, ticket, amount, told_at)
SELECT w.pool_id, %(kind)s, w.player_id, '', sum(w.amount), %(at)s
FROM (SELECT y.pool_id, y.amount, COALESCE(b.player_id, g.player_id) AS player_id
      FROM payouts_payable y
      JOIN pools_bet b ON b.pool_id = y.pool_id AND b.ticket = y.ticket
      LEFT JOIN payouts_ticketowner o ON o.pool_id = y.pool_id AND o.ticket = y.ticket
      LEFT JOIN accounts_gameaccount g ON g.id = o.account_id
      WHERE y.kind <> 'refund' AND {which}) w
WHERE w.player_id IS NOT NULL
GROUP BY w.pool_id, w.player_id
ON CONFLICT DO NOTHING
"""
_WHO_WON = _PLAYERS.format(which="y.pool_id = %(pool)s AND y.state <> 'revoked'")
# What goes to an account or card needs no reminder: it does not expire.
_WHO_WAITS = _PLAYERS.format(
    which="y.state = 'due' AND y.pay_to_id IS NULL AND y.payable_until > %(at)s AND y.payable_until <= %(before)s"
)

# Whose tickets a correction has changed, with what is now to be paid on them; what was left as it was is not told.
_WHO_IS_CORRECTED = """
INSERT INTO payouts_winnernotice (pool_id, kind, player_id, ticket, amount, told_at)
SELECT w.pool_id, %(kind)s, w.player_id, '', sum(w.amount), %(at)s
FROM (SELECT c.pool_id, COALESCE(b.player_id, g.player_id) AS player_id, COALESCE(y.amount, 0) AS amount
      FROM (SELECT DISTINCT c.pool_id, c.ticket FROM payouts_correctedpayable c
            JOIN payouts_correctionbooking k USING (pool_id)
            WHERE c.outcome NOT IN ('kept', 'left') AND k.booked_at > %(since)s) c
      JOIN pools_bet b ON b.pool_id = c.pool_id AND b.ticket = c.ticket
      LEFT JOIN payouts_payable y ON y.pool_id = c.pool_id AND y.ticket = c.ticket AND y.state = 'due'
      LEFT JOIN payouts_ticketowner o ON o.pool_id = c.pool_id AND o.ticket = c.ticket
      LEFT JOIN accounts_gameaccount g ON g.id = o.account_id) w
WHERE w.player_id IS NOT NULL
GROUP BY w.pool_id, w.player_id
ON CONFLICT DO NOTHING
"""


def may_tell(at: datetime) -> bool:
    """Tell whether it is day in Minsk, by dated hours: nobody is woken by a winning."""
    numbers = legal_numbers(at)
    return numbers["notice_from_hour"] <= at.astimezone(MINSK).hour < numbers["notice_to_hour"]


def tell_players(*, code: str, actor: str = "task:tell_winners") -> int:
    """Tell the players who won in a pool, all in one transaction; return how many, 0 when that was done before.

    :raises DomainError: NOT_FOUND.
    """
    with one_transaction():
        pool = lock_pool(code)
        if PoolNotices.objects.filter(pool=pool).exists():
            return 0
        at = clock.now()
        values: Values = {"kind": str(NoticeKind.WON), "pool": pool.pk, "at": at}
        told = _insert(_WHO_WON, values)
        PoolNotices.objects.create(pool=pool, players=told, told_at=at)
        write_journal(at=at, actor=actor, act="tell_winners", subject=f"pool:{code}", after={"players": told})
    return told


def remind_players(*, actor: str = "task:remind_winners") -> int:
    """Remind the players whose tickets wait to be brought to a desk, by pool, once; return how many."""
    with one_transaction():
        at = clock.now()
        values: Values = {"kind": str(NoticeKind.ENDING), "at": at, "before": reminding_until(at)}
        told = _insert(_WHO_WAITS, values)
        if told:
            write_journal(at=at, actor=actor, act="remind_winners", subject="players", after={"players": told})
    return told


def tell_of_corrections(*, actor: str = "task:tell_winners") -> int:
    """Tell the players whose tickets a correction has changed, by pool, once; return how many."""
    with one_transaction():
        at = clock.now()
        values: Values = {"kind": str(NoticeKind.CORRECTED), "at": at, "since": at - _CORRECTED_LATELY}
        told = _insert(_WHO_IS_CORRECTED, values)
        if told:
            write_journal(at=at, actor=actor, act="tell_of_corrections", subject="players", after={"players": told})
    return told


def tell_phones(kind: NoticeKind, *, chunk: int = CHUNK, actor: str = "task:tell_winners") -> int:
    """Queue a message to each phone that is to be told, some in a transaction; return how many were queued."""
    told = 0
    while queued := _tell_phones(kind, chunk, actor):
        told += queued
    return told


def _tell_phones(kind: NoticeKind, limit: int, actor: str) -> int:
    with one_transaction(), override(settings.LANGUAGE_CODE):
        at = clock.now()
        phones = phones_to_tell(kind, at).select_related("pool").select_for_update(no_key=True, of=("self",))
        chosen = list(phones.order_by("pool_id", "ticket")[:limit])
        for phone in chosen:
            notice = WinnerNotice.objects.create(
                pool=phone.pool, kind=kind, ticket=phone.ticket, amount=due_on(phone.pool_id, phone.ticket), told_at=at
            )
            cause = notice_cause(kind, phone.pool_id, phone.ticket)
            queue_message(cause=cause, phone=phone.phone, words=words_of(notice), at=at, good_for=GOOD_FOR)
            write_journal(
                at=at, actor=actor, act="tell_phone", subject=f"bet:{phone.ticket}", after={"kind": str(kind)}
            )
    return len(chosen)


def _insert(statement: str, values: Values) -> int:
    """Write a notice for each player who has none yet; their letters are sent once this is committed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        told: int = cursor.rowcount
    if told:
        enqueue_after_commit(_LETTERS)
    return told

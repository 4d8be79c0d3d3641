"""Messages of payment systems: each dealt with once, in whatever order they come (F1, U3).

What cannot be done is not lost: it goes into the queue, and money that came is held. Only what may be possible a little
later (the rate of the day is missing, the database is busy) is refused, so that the payment system comes again.
"""

from datetime import datetime

from django.db import connection, transaction

from accounts.models import Mismatch
from accounts.services.deposit_returns import take_refund
from accounts.services.disagreements import Disagreement, step_or_queue, told
from accounts.services.provider_deposits import COME_AGAIN, hold_taken, take_deposit
from accounts.services.providers.interface import ProviderEvent
from accounts.services.sending import take_payout
from accounts.services.unmatched import note_unmatched
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.transactions import one_transaction

_ACTS = {"deposit": take_deposit, "payout": take_payout, "refund": take_refund}


def take_event(*, provider: str, event: ProviderEvent) -> bool:
    """Do what a verified message says; return False when it was dealt with before.

    :raises DomainError: BUSY, RATE_STALE, REGISTER_STALE: nothing was kept, the message may come again.
    """
    with one_transaction():
        at = clock.now()
        if not _first_time(provider, event, at):
            return False
        try:
            found = step_or_queue(
                lambda: _act(provider, event),
                provider=provider,
                reference=event.reference,
                standing=event.standing,
                at=at,
            )
        except DomainError as refusal:
            if refusal.code in COME_AGAIN:
                raise
            _queue_refused(provider, event, str(refusal.code), at)
            _hold(provider, event, str(refusal.code))
        else:
            if found is not None and found.mismatch == Mismatch.AMOUNT:
                _hold(provider, event, str(found.mismatch))
    return True


def _hold(provider: str, event: ProviderEvent, why: str) -> None:
    """Book what was taken for a deposit; it is owed to its payer until it is credited or given back."""
    if event.kind == "deposit":
        hold_taken(provider, event.reference, event.standing, why, f"provider:{provider}")


def _act(provider: str, event: ProviderEvent) -> None:
    """Do it, or nothing of it; a chargeback, say: nobody takes money from an account unlooked at."""
    act, standing = _ACTS.get(event.kind), event.standing
    if act is None:
        theirs = f"{event.kind}: {told(standing.outcome, standing.amount, standing.currency)}"
        raise Disagreement(Mismatch.STATE, "", theirs)
    with transaction.atomic():
        act(provider=provider, reference=event.reference, standing=standing, actor=f"provider:{provider}")


def _queue_refused(provider: str, event: ProviderEvent, why: str, at: datetime) -> None:
    note_unmatched(
        provider=provider,
        reference=event.reference,
        mismatch=Mismatch.REFUSED,
        ours="",
        theirs=told(event.standing.outcome, event.standing.amount, event.standing.currency),
        explanation=why,
        at=at,
    )


def _first_time(provider: str, event: ProviderEvent, at: datetime) -> bool:
    """Note the message; wait for who is dealing with the same one, and tell whether that came to nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_providermessage (provider, event_id, kind, reference, body_digest, received_at)"
            " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (provider, event_id) DO NOTHING",
            [provider, event.event_id, event.kind[:30], event.reference, event.body_digest, at],
        )
        return bool(cursor.rowcount)

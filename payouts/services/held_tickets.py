"""A ticket that is claimed as lost is paid to nobody who just brings it; being held costs nobody the term (K4, ¶45)."""

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from payouts.locks import lock_payables_of
from payouts.models import Payable, PayableState, TimeGivenBack
from payouts.queries.ticket_claims import live_claims
from pools.models import Bet
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import end_of_legal_day, legal_day


def refuse_held(bet: Bet) -> None:
    """Refuse a ticket that somebody has claimed as lost or damaged; the desk calls the supervisor.

    :raises DomainError: TICKET_HELD.
    """
    if live_claims(bet.pool_id, bet.ticket).exists():
        message = _("This ticket is reported as lost or damaged. Call the supervisor; do not pay it.")
        raise DomainError(Refusal.TICKET_HELD, message, field="ticket")


def give_time_back(*, pool_id: int, ticket: str, held_from: datetime, at: datetime, actor: str) -> None:
    """Leave the dated number of days after a hold that ends at `at`, for who could not be paid meanwhile.

    Only a hold that began in the term makes it longer, and never shorter. The caller holds the ticket's payables, or
    locks nothing else.
    """
    last_day = legal_day(at) + timedelta(days=int(legal_number("days_after_hold", legal_day(at))))
    until = end_of_legal_day(last_day)
    for payable in lock_payables_of(pool_id, ticket):
        before = payable.payable_until
        if payable.state != PayableState.DUE or before is None or not held_from < before < until:
            continue
        TimeGivenBack.objects.create(
            pool_id=pool_id,
            ticket=ticket,
            kind=payable.kind,
            held_from=held_from,
            ended_before=before,
            ends=until,
            given_at=at,
        )
        Payable.objects.filter(pk=payable.pk).update(payable_until=until)
        write_journal(
            at=at,
            actor=actor,
            act="give_time_back",
            subject=f"bet:{ticket}",
            before={"payable_until": before.isoformat()},
            after={"payable_until": until.isoformat(), "held_from": held_from.isoformat()},
        )

"""Checking a ticket at a desk: guessing is slow, each check is journalled, and who brought it sees the answer (C7)."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import TypeVar

from django.core.cache import cache

from accounts.models import Till, User
from accounts.services.shifts import open_shift_of
from payouts.models import TicketScan
from payouts.queries.tickets import TicketStatus, ticket_status
from pools.services.sources import from_till
from pools.services.tickets import normal_code
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.throttle import note_failure, refuse_when_throttled
from totalizator.core.transactions import one_transaction

T = TypeVar("T")
ON_SCREEN = timedelta(minutes=2)
"""How long the customer's screen shows a check."""


def scan_ticket(*, ticket: str, check_code: str, cashier: User) -> tuple[TicketStatus, TicketScan]:
    """Tell the desk where a ticket stands, and note what it was told; call it outside any transaction.

    :raises DomainError: NOT_ALLOWED for who is no cashier at a till; THROTTLED; WRONG_CODE, noted too, without what
        was typed.
    """
    till = from_till(cashier).till
    assert till is not None
    try:
        status = guess_slowly(ticket, cashier, lambda: ticket_status(ticket, check_code))
    except DomainError as refusal:
        if refusal.code == Refusal.WRONG_CODE:
            TicketScan.objects.create(till=till, scanned_by=cashier, scanned_at=clock.now())
        raise
    return status, note_scan(status, till=till, cashier=cashier)


def note_scan(status: TicketStatus, *, till: Till, cashier: User) -> TicketScan:
    """Note what the desk was told of a ticket, in the journal and for the slip."""
    with one_transaction():
        scan = scan_of(status, till=till, cashier=cashier, at=clock.now())
        scan.save(force_insert=True)
        write_journal(
            at=scan.scanned_at,
            actor=cashier.actor,
            act="scan_ticket",
            subject=f"bet:{scan.ticket}",
            after={"till": till.pk, "slip": scan.pk, "standing": str(scan.standing), "amount": scan.amount},
        )
    return scan


def scan_of(status: TicketStatus, *, till: Till, cashier: User, at: datetime) -> TicketScan:
    """Return what is told of a ticket at the instant `at`; nothing is noted."""
    payable, payment = status.payable, status.payment
    return TicketScan(
        till=till,
        scanned_by=cashier,
        scanned_at=at,
        ticket=status.bet.ticket,
        standing=status.standing,
        kind=payable.kind if payable is not None else "",
        amount=status.amount,
        handed_over=payment.handed_over if payment is not None else None,
        paid_at=payment.paid_at if payment is not None else None,
        paid_where=status.paid_where or "",
        payable_from=payable.payable_from if payable is not None else None,
        payable_until=payable.payable_until if payable is not None else None,
        goes_back=payable is not None and payable.pay_to_id is not None,
    )


def scan_on_screen(till: Till) -> TicketScan | None:
    """Return the check that the customer's screen shows: the last one of the open shift, for two minutes at most.

    None once the desk has turned to something else (`clear_screen`).
    """
    shift = open_shift_of(till)
    if shift is None:
        return None
    since = max(shift.opened_at, clock.now() - ON_SCREEN)
    cleared = cache.get(_cleared(till))
    scans = TicketScan.objects.select_related("till__point", "scanned_by").filter(till=till, scanned_at__gte=since)
    scan = scans.order_by("-id").first()
    return None if scan is None or scan.pk <= (cleared or 0) else scan


def clear_screen(till: Till) -> None:
    """Show the customer's screen empty until the next check: whoever comes next sees nothing of who went."""
    last = TicketScan.objects.filter(till=till).order_by("-id").values_list("pk", flat=True).first()
    if last is not None:
        cache.set(_cleared(till), last, ON_SCREEN.total_seconds())


def _cleared(till: Till) -> str:
    return f"customer-screen:{till.pk}"


def guess_slowly(
    ticket: str, cashier: User, act: Callable[[], T], *, wrong: Collection[Refusal] = (Refusal.WRONG_CODE,)
) -> T:
    """Do what a guesser of codes would try; what is `wrong` counts with what the desk gave over the API (D-13).

    :raises DomainError: THROTTLED; what `act` refuses.
    """
    subjects = [f"desk-ticket:{normal_code(ticket)}"[:60], cashier.actor]
    refuse_when_throttled(subjects, clock.now())
    try:
        return act()
    except DomainError as refusal:
        if refusal.code in wrong:
            note_failure(subjects, clock.now(), act="refuse_ticket", actor=cashier.actor)
        raise

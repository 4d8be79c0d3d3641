"""The fiscal cash register behind one interface. A sale is registered first and printed after; a register that is out
of paper never undoes it: what is not printed waits in its order, and is tried again.
"""

import logging
from datetime import datetime
from functools import cache
from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from accounts.models import FiscalDocument, FiscalKind, Till
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit

logger = logging.getLogger(__name__)
_TASK = "accounts.tasks.print_fiscal_documents"


class FiscalFault(Exception):
    """The register could not print; its words are kept."""


class FiscalRegister(Protocol):
    """What a driver of a register does. `number` is ours, the same at every try, so that a repetition can be known.

    Each act returns the register's own number of the printed document, and raises FiscalFault if it printed none.
    Amounts in kopecks.
    """

    def sale(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print a sale."""

    def payout(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print a payment of a winning, or of a stake returned."""

    def z(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print the report that ends a shift; `amount` is the cash counted."""

    def cash_moved(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print that cash came (above zero) or was taken away (below zero)."""

    def close(self, *, till: str, number: int, subject: str) -> str:
        """Print that the till is closed for good."""


def queue_fiscal(*, till: Till, kind: FiscalKind, subject: str, amount: int, at: datetime) -> None:
    """Queue a document with what it tells of, in the same transaction; nothing where tills have no register."""
    if not settings.FISCAL_REGISTER:
        return
    FiscalDocument.objects.create(till=till, kind=kind, subject=subject, amount=amount, queued_at=at)
    enqueue_after_commit(_TASK)


def print_waiting(*, till: Till) -> int:
    """Print what waits at a till, in its order, up to the first fault; return how many were printed."""
    printed = 0
    while _print_next(till):
        printed += 1
    return printed


def tills_with_unprinted() -> list[Till]:
    """Return the tills at which something waits to be printed."""
    return list(Till.objects.filter(fiscal_documents__printed_at__isnull=True).select_related("point").distinct())


@cache
def _register(path: str) -> FiscalRegister:
    register: FiscalRegister = import_string(path)()
    return register


def _print_next(till: Till) -> bool:
    """Print the till's oldest document; False when none waits, it cannot be printed, or another job is at it."""
    with transaction.atomic():
        waiting = FiscalDocument.objects.filter(till=till, printed_at__isnull=True).order_by("pk")
        oldest = waiting.first()
        if oldest is None:
            return False
        document = FiscalDocument.objects.select_for_update(skip_locked=True).filter(pk=oldest.pk).first()
        if document is None or document.printed_at is not None:
            return False
        document.tries += 1
        try:
            document.fiscal_number = _told(_register(settings.FISCAL_REGISTER), document, str(till))
        except FiscalFault as fault:
            document.fault = str(fault)[:200]
            logger.warning("Till %s: document %s is not printed: %s", till, document.pk, fault)
        else:
            document.printed_at, document.fault = clock.now(), ""
        document.save(update_fields=["tries", "fault", "fiscal_number", "printed_at"])
        return document.printed_at is not None


def _told(register: FiscalRegister, document: FiscalDocument, till: str) -> str:
    number, subject, amount = document.pk, document.subject, document.amount
    match document.kind:
        case FiscalKind.SALE:
            return register.sale(till=till, number=number, subject=subject, amount=amount)
        case FiscalKind.PAYOUT:
            return register.payout(till=till, number=number, subject=subject, amount=amount)
        case FiscalKind.Z:
            return register.z(till=till, number=number, subject=subject, amount=amount)
        case FiscalKind.FUNDING:
            return register.cash_moved(till=till, number=number, subject=subject, amount=amount)
        case FiscalKind.COLLECTION:
            return register.cash_moved(till=till, number=number, subject=subject, amount=-amount)
        case _:
            return register.close(till=till, number=number, subject=subject)

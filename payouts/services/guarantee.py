"""Checking every day that the bank holds what players could ask for (F3)."""

import logging

from django.db import connection, transaction

from payouts.queries.guarantee import Guarantee, guarantee_sum
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import legal_day

logger = logging.getLogger(__name__)


def check_guarantee(*, actor: str) -> Guarantee:
    """Compute the guarantee sum and journal it, and once more a shortfall or a debt that the ledger denies."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot, so that sales going on do not look like differences
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        guarantee = guarantee_sum()
    with transaction.atomic():
        _journal("check_guarantee", guarantee, actor)
        if guarantee.shortfall:
            _journal("guarantee_shortfall", guarantee, actor)
            logger.critical("The bank falls short of what players could ask for: %s kopecks", guarantee.shortfall)
        if guarantee.differing:
            _journal("guarantee_differs", guarantee, actor)
            logger.critical("The ledger denies: %s", ", ".join(guarantee.differing))
    return guarantee


def checked_today() -> bool:
    """Tell whether the sum was computed on this legal day."""
    return JournalRecord.objects.filter(subject=_subject(), act="check_guarantee").exists()


def _journal(act: str, guarantee: Guarantee, actor: str) -> None:
    write_journal(
        at=clock.now(),
        actor=actor,
        act=act,
        subject=_subject(),
        after={
            "required": guarantee.required,
            "in_bank": guarantee.in_bank,
            "elsewhere": guarantee.elsewhere,
            "shortfall": guarantee.shortfall,
            "parts": {str(kind): [part.computed, part.ledger] for kind, part in guarantee.parts.items()},
        },
    )


def _subject() -> str:
    return f"guarantee:{legal_day(clock.now()).isoformat()}"

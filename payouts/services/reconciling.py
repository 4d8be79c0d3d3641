"""Proving the books: every invariant of ledger, pools and payouts, on one snapshot (docs/ledger.md, Proofs)."""

import logging
from collections.abc import Mapping

from django.db import connection, transaction

from accounts.ledger.proofs import PROOFS as LEDGER_PROOFS
from accounts.ledger.proofs import BrokenInvariant, broken_invariants
from accounts.queries.bank_proofs import PROOFS as BANK_PROOFS
from accounts.queries.card_proofs import PROOFS as CARD_PROOFS
from accounts.queries.cash_proofs import PROOFS as CASH_PROOFS
from accounts.queries.number_proofs import PROOFS as NUMBER_PROOFS
from accounts.queries.payment_proofs import PROOFS as PAYMENT_PROOFS
from payouts.queries.agent_proofs import PROOFS as AGENT_PROOFS
from payouts.queries.correction_proofs import PROOFS as CORRECTION_PROOFS
from payouts.queries.proofs import PROOFS as PAYOUT_PROOFS
from payouts.queries.refund_proofs import PROOFS as REFUND_PROOFS
from pools.queries.proofs import PROOFS as BET_PROOFS
from totalizator.core import clock
from totalizator.core.journal import write_journal

logger = logging.getLogger(__name__)
PROOFS: Mapping[str, str] = {
    **LEDGER_PROOFS,
    **CARD_PROOFS,
    **PAYMENT_PROOFS,
    **BANK_PROOFS,
    **BET_PROOFS,
    **CASH_PROOFS,
    **PAYOUT_PROOFS,
    **CORRECTION_PROOFS,
    **REFUND_PROOFS,
    **AGENT_PROOFS,
    **NUMBER_PROOFS,
}


def reconcile(*, actor: str) -> list[BrokenInvariant]:
    """Run every proof, journal the outcome, and return what does not hold, at most ten places a proof."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot, so that sales going on do not look like faults
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        broken = broken_invariants(PROOFS)
    for invariant in broken:
        logger.critical("Broken: %s: %s", invariant.name, invariant.where)
    write_journal(
        at=clock.now(),
        actor=actor,
        act="reconcile",
        subject="ledger",
        after={"proofs": len(PROOFS), "broken": [f"{invariant.name}: {invariant.where}" for invariant in broken]},
    )
    return broken

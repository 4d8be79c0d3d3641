"""`manage.py reconcile_ledger`: prove the books, or name what is broken and where (exit 1)."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from payouts.services.reconciling import PROOFS, reconcile


class Command(BaseCommand):
    help = "Run every proof of ledger, pools and payouts; exit 1 and name the broken invariant when one does not hold."

    def handle(self, *args: Any, **options: Any) -> None:
        broken = reconcile(actor="command:reconcile_ledger")
        if not broken:
            self.stdout.write(f"OK: {len(PROOFS)} proofs hold.")
            return
        for invariant in broken:
            self.stdout.write(f"BROKEN: {invariant.name}: {invariant.where}")
        sys.exit(1)

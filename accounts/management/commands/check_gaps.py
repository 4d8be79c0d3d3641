"""`manage.py check_gaps`: name every series of numbers that must have no gaps, and has one."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from accounts.ledger.proofs import broken_invariants
from accounts.queries.number_proofs import PROOFS


class Command(BaseCommand):
    help = "Look for gaps in documents, handovers, shifts, seals, releases and events; exit code 1 when there is one."

    def handle(self, *args: Any, **options: Any) -> None:
        gaps = broken_invariants(PROOFS)
        if gaps:
            self.stdout.write("\n".join(gap.where for gap in gaps))
            sys.exit(1)
        self.stdout.write("OK: no gaps.")

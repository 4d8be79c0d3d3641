"""`manage.py trial_balance`: the balance of every kind of account; they add up to 0."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from accounts.ledger.balances import trial_balance
from totalizator.core.money import plain_byn


class Command(BaseCommand):
    help = "Print the balance of every kind of ledger account, debit above zero; exit 1 unless they add up to 0."

    def handle(self, *args: Any, **options: Any) -> None:
        totals = trial_balance()
        for kind, total in sorted(totals.items()):
            self.stdout.write(f"{kind:<16}{plain_byn(total):>20}")
        self.stdout.write(f"{'sum':<16}{plain_byn(sum(totals.values())):>20}")
        sys.exit(1 if sum(totals.values()) else 0)

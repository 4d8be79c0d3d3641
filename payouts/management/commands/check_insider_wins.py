"""`manage.py check_insider_wins`: make every published year of insiders' wins again, and compare the bytes (X11)."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from payouts.services.insider_wins import published_otherwise


class Command(BaseCommand):
    help = "Make what was published of insiders' wins again; exit code 1 and the years that differ."

    def handle(self, *args: Any, **options: Any) -> None:
        differing = published_otherwise()
        self.stdout.write("\n".join(f"{year} differs" for year in differing) or "OK")
        if differing:
            sys.exit(1)

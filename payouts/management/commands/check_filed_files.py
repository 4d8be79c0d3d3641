"""`manage.py check_filed_files`: digest every filed file again, and name what is not what was filed."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from payouts.services.filed_checks import check_filed_files


class Command(BaseCommand):
    help = "Compare every filed file with its digest; exit code 1 and what was changed or is gone."

    def handle(self, *args: Any, **options: Any) -> None:
        broken = check_filed_files(actor="command:check_filed_files")
        self.stdout.write("\n".join(f"BROKEN: {told}" for told in broken) or "OK")
        if broken:
            sys.exit(1)

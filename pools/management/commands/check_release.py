"""`manage.py check_release`: is what lies on the disk, and what runs, the registered release?"""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from pools.services.release_watch import check_release
from totalizator.core.releases import running_release


class Command(BaseCommand):
    help = (
        "Compare code and configuration with the register of releases; exit code 1 and what differs if something does."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        differences = check_release(actor="command:check_release")
        if differences:
            self.stdout.write("\n".join(differences))
            sys.exit(1)
        self.stdout.write(f"OK: {running_release().digest}")

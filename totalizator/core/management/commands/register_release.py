"""`manage.py register_release --change TEXT`: put the code and configuration on the disk into the register (R2, R4)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from totalizator.core.releases import register_release


class Command(BaseCommand):
    help = "Register what is on the disk as the release in service, with its change record. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--change", required=True, help="The change record: notice, evidence of tests, approval.")
        parser.add_argument("--by", default="deployment", help="Who puts it in service.")

    def handle(self, *args: Any, change: str, by: str, **options: Any) -> None:
        if not change.strip():
            raise CommandError("--change: a release without a change record is not put in service.")
        release = register_release(change=change.strip(), registered_by=by)
        self.stdout.write(f"{release.number}: {release.digest}")

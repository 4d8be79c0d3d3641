"""`manage.py register_release`: put the code and configuration on the disk into the register (R2, R4)."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.services.release_changes import register_changed_release
from totalizator.core.errors import DomainError
from totalizator.core.releases import register_release


class Command(BaseCommand):
    help = (
        "Register what is on the disk as the release in service. In production it must be of an approved change record;"
        " elsewhere a text says what changed. Safe to run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--record", type=int, help="The number of the change record that two people approved.")
        which.add_argument("--change", help="What changed: for a machine that is not in production.")
        parser.add_argument("--by", default="deployment", help="Who puts it in service.")

    def handle(self, *args: Any, record: int | None, change: str | None, by: str, **options: Any) -> None:
        if record is None and settings.RELEASE_MUST_HOLD:
            raise CommandError("--record: a release without an approved change record is not put in service.")
        if record is None and not (change or "").strip():
            raise CommandError("--change: say what changed.")
        try:
            if record is not None:
                release = register_changed_release(number=record, registered_by=by)
            else:
                release = register_release(change=(change or "").strip(), registered_by=by)
        except DomainError as refusal:
            raise CommandError(f"--record: {refusal.message}") from refusal
        self.stdout.write(f"{release.number}: {release.digest}")

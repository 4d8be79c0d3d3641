"""`manage.py import_restricted_persons FILE --as-of 2026-11-30T06:00:00+03:00`: read the national register (P2)."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.services.restricted_register import import_register
from totalizator.core.errors import DomainError
from totalizator.engine.deadlines import MINSK


class Command(BaseCommand):
    help = (
        "Read the register of restricted persons. Exit code 1 when a line was faulty: the register is then not fresh."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="UTF-8, lines of identity_number;until")
        parser.add_argument(
            "--as-of", type=datetime.fromisoformat, required=True, help="when the register stood so (Minsk, if no zone)"
        )

    def handle(self, *args: Any, file: Path, as_of: datetime, **options: Any) -> None:
        instant = as_of if as_of.tzinfo else as_of.replace(tzinfo=MINSK)
        try:
            read = import_register(
                text=file.read_text(encoding="utf-8"), as_of=instant, actor="command:import_restricted_persons"
            )
        except (DomainError, OSError, UnicodeDecodeError) as fault:
            raise CommandError(str(fault)) from fault
        for line in read.faults:
            self.stderr.write(f"line {line.number}: {line.fault}")
        self.stdout.write(f"{read.record.lines} persons, {len(read.faults)} faulty lines")
        if read.faults:
            raise CommandError("The register is not fresh until it is read without a fault.")

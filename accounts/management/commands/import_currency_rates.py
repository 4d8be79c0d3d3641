"""`manage.py import_currency_rates FILE`: read rates of the day; name the lines that were not taken (exit 1)."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.services.currencies import import_rates
from totalizator.core.problem import told


class Command(BaseCommand):
    help = "Read a file of date;currency;units;rate; exit 1 when some line was not taken."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--source", required=True, help="Whose rates they are.")
        parser.add_argument(
            "--accept-jumps", action="store_true", help="Somebody has looked at rates that changed much."
        )

    def handle(self, *args: Any, file: Path, source: str, accept_jumps: bool, **options: Any) -> None:
        read = import_rates(
            text=file.read_text(encoding="utf-8"),
            source=source,
            actor="command:import_currency_rates",
            accept_jumps=accept_jumps,
        )
        self.stdout.write(f"{read.new} new rates.")
        for line in read.faults:
            self.stdout.write(f"Line {line.number}: {told(line.fault)}")
        if read.faults:
            sys.exit(1)

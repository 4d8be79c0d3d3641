"""`manage.py import_bank_statement FILE`: book a bank's file, and find the place of what came (exit 1 on a fault)."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.services.bank_statements import import_bank_file
from pools.queries.receipts import unmatched_lines
from pools.services.receipt_matching import match_receipts
from totalizator.core.errors import DomainError
from totalizator.core.problem import told


class Command(BaseCommand):
    help = "Import a statement (camt.053, MT940 or CSV); a file that was imported before changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        actor = "command:import_bank_statement"
        try:
            imported = import_bank_file(content=file.read_bytes(), actor=actor)
        except DomainError as refusal:
            self.stdout.write(told(refusal))
            sys.exit(1)
        placed = match_receipts(actor=actor)
        waiting = sum(1 for _line in unmatched_lines())
        self.stdout.write(
            f"{imported.new} lines booked, {imported.known} known before, {imported.maybe} maybe;"
            f" {placed} placed, {waiting} wait for people."
        )

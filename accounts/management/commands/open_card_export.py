"""`manage.py open_card_export FILE`: open a sealed file of activation codes, on the printer's side."""

import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from totalizator.core.errors import DomainError
from totalizator.core.sealed import open_sealed


class Command(BaseCommand):
    help = "Ask for the passphrase and write the cards as CSV to the standard output. Needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            content = open_sealed(file.read_bytes(), getpass.getpass("Passphrase: "))
        except (DomainError, OSError) as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write(content.decode(), ending="")

"""`manage.py export_journal FILE`: a copy of the sealed journal, for a place that no administrator of it controls."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from totalizator.core.journal_checks import sealed_lines
from totalizator.core.journal_seals import newest_seal, seal_journal
from totalizator.engine.bundle import write_file


class Command(BaseCommand):
    help = "Write all sealed rows with their seals; `python -m totalizator.engine verify-journal FILE` checks the file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        seal_journal()
        write_file(file.parent, file.name, sealed_lines())
        newest = newest_seal()
        self.stdout.write("The journal is empty." if newest is None else f"{newest.number}:{newest.digest}")

"""`manage.py check_journal`: name the first row of the journal that is not as it was sealed."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from totalizator.core.journal_checks import check_journal
from totalizator.engine.errors import EngineError
from totalizator.engine.journal import Known, read_known


class Command(BaseCommand):
    help = "Check every row of the journal against its seal; exit code 1 and the first broken row when one is broken."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--known", metavar="NUMBER:DIGEST", help="A seal known from outside the database.")

    def handle(self, *args: Any, known: str | None, **options: Any) -> None:
        checked = check_journal(_known(known) if known else None)
        if checked.broken is not None:
            self.stdout.write(f"BROKEN: {checked.broken}")
            sys.exit(1)
        newest = checked.newest
        self.stdout.write("OK: the journal is empty" if newest is None else f"OK: {newest.number}:{newest.digest}")


def _known(text: str) -> Known:
    try:
        return read_known(text)
    except EngineError as error:
        raise CommandError(str(error)) from error

"""`manage.py check_log`: rebuild the public log and name what of it does not hold."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from payouts.services.log_checks import check_log, known_head
from pools.queries.log_rebuilt import KnownHead
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError


class Command(BaseCommand):
    help = "Check every line of the public log, its heads, what was published; exit code 1 and all that does not hold."

    def add_arguments(self, parser: CommandParser) -> None:
        whole = "head.json as it was kept outside the database; again for each"
        parser.add_argument("--known", metavar="HEADFILE", type=Path, action="append", default=[], help=whole)

    def handle(self, *args: Any, known: list[Path], **options: Any) -> None:
        checked = check_log([_read(path) for path in known])
        for broken in checked.broken:
            self.stdout.write(f"BROKEN: {broken}")
        if checked.broken:
            sys.exit(1)
        newest = checked.newest
        self.stdout.write("OK: the log is empty" if newest is None else f"OK: {newest.size} lines, root {newest.root}")


def _read(path: Path) -> KnownHead:
    try:
        return known_head(path.read_bytes(), path.name)
    except (OSError, EngineError, Difference) as fault:
        raise CommandError(str(fault)) from fault

"""`manage.py export_log DIR`: write the public log."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.queries.log_proofs import newest_head
from pools.snapshots.public_log import log_file
from totalizator.engine.bundle import write_file
from totalizator.engine.errors import EngineError


class Command(BaseCommand):
    """Write log.jsonl, which is the lines and their head, and head.json, to be kept for comparing with later logs."""

    help = "Write the public log for `python -m totalizator.engine verify-log DIR/log.jsonl --keys FILE`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument("directory", type=Path, help="the folder; it is made if it is not there")

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        """Export the log."""
        head = newest_head()
        if head is None:
            raise CommandError("Nothing was logged yet.")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            write_file(directory, "log.jsonl", log_file(head))
            write_file(directory, "head.json", [head.document_text.encode() + b"\n"])
        except (EngineError, OSError) as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write(f"{directory / 'log.jsonl'}: {head.size} lines")

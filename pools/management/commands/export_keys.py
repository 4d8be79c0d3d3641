"""`manage.py export_keys FILE`: write the public keys that bundles are verified with."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.services.commission_keys import published_keys
from totalizator.engine.canonical import json_file


class Command(BaseCommand):
    """Write keys.json: the operator's key and every key the commission ever had."""

    help = "Write the public keys for `python -m totalizator.engine verify DIR --keys FILE`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, help="the file to write")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        """Export the keys."""
        keys = published_keys()
        try:
            file.write_bytes(json_file(keys))
        except OSError as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write(f"{file}: {len(keys)} keys")

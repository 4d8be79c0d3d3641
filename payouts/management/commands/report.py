"""`manage.py report`: write a report into a file, or to the standard output."""

import sys
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from payouts.services.reports import REPORTS, make_report, write_report
from totalizator.core.errors import DomainError


class Command(BaseCommand):
    help = "Write a report of some legal days, both included, as pdf, csv or json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", choices=sorted(REPORTS))
        parser.add_argument("--from", dest="first", type=date.fromisoformat, required=True, help="2026-12-01")
        parser.add_argument("--to", dest="last", type=date.fromisoformat, required=True, help="2026-12-31")
        parser.add_argument("--format", dest="form", choices=("pdf", "csv", "json"), default="json")
        parser.add_argument("--only", action="append", default=[], metavar="FILTER=VALUE", help="pool=2411-1")
        parser.add_argument("--language", choices=("ru", "be", "en"), default="ru")
        parser.add_argument("--output", type=Path, help="a file; without it, the standard output")

    def handle(self, *args: Any, name: str, first: date, last: date, **options: Any) -> None:
        filters = dict(chosen.partition("=")[::2] for chosen in options["only"])
        try:
            with translation.override(options["language"]):
                content = write_report(make_report(name, first, last, filters), options["form"])
        except DomainError as refusal:
            raise CommandError(str(refusal.message)) from refusal
        if options["output"] is None:
            sys.stdout.buffer.write(content)
        else:
            options["output"].write_bytes(content)

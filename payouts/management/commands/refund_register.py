"""`manage.py refund_register`: write the register of a pool's refunds into a file, or to the standard output."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from payouts.services.refund_registers import make_refund_register, write_refund_register
from totalizator.core.errors import DomainError


class Command(BaseCommand):
    help = "Write the register of a pool's refunds, by channel, as csv or json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the pool's code")
        parser.add_argument("--format", dest="form", choices=("csv", "json"), default="json")
        parser.add_argument("--language", choices=("ru", "be", "en"), default="ru")
        parser.add_argument("--output", type=Path, help="a file; without it, the standard output")

    def handle(self, *args: Any, code: str, **options: Any) -> None:
        try:
            with translation.override(options["language"]):
                content = write_refund_register(make_refund_register(code), options["form"])
        except DomainError as refusal:
            raise CommandError(str(refusal.message)) from refusal
        if options["output"] is None:
            sys.stdout.buffer.write(content)
        else:
            options["output"].write_bytes(content)

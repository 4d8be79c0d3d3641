"""`manage.py set_risk_warning`: enter the warning that pages and tickets carry from a day on (P3)."""

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError

from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import RiskWarning
from totalizator.core.transactions import one_transaction


class Command(BaseCommand):
    help = "Enter a warning of the risks of play in three languages; what was shown before that day stays as it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="day", type=date.fromisoformat, required=True, metavar="2027-01-01")
        for language in ("ru", "be", "en"):
            parser.add_argument(f"--{language}", required=True)
        parser.add_argument("--address", default="", help="Where help is found.")

    def handle(self, *args: Any, day: date, ru: str, be: str, en: str, address: str, **options: Any) -> None:
        if day <= clock.today():
            raise CommandError("--from: a day after today; what has been shown does not change.")
        most = RiskWarning._meta.get_field("ru").max_length or 0
        for name, text in (("ru", ru), ("be", be), ("en", en)):
            if not 0 < len(text.strip()) <= most:
                raise CommandError(f"--{name}: 1 to {most} characters.")
        try:
            with one_transaction():
                RiskWarning.objects.create(valid_from=day, ru=ru, be=be, en=en, address=address)
                after = {"ru": ru, "be": be, "en": en, "address": address}
                write_journal(
                    at=clock.now(), actor="command", act="set_risk_warning", subject=f"risk_warning:{day}", after=after
                )
        except IntegrityError as fault:
            raise CommandError(f"--from: a warning from {day} on is entered already.") from fault

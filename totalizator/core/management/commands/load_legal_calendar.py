"""`manage.py load_legal_calendar`: enter the legal numbers and the non-working days. Safe to run again."""

from typing import Any

from django.core.management.base import BaseCommand

from totalizator.core import clock
from totalizator.core.legal_calendar import load_legal_numbers, load_non_working_days, load_risk_warning

YEARS_BACK, YEARS_AHEAD = 3, 5


class Command(BaseCommand):
    help = "Enter the legal numbers and the non-working days of Belarus that are not entered yet."

    def handle(self, *args: Any, **options: Any) -> None:
        year = clock.today().year
        load_legal_numbers()
        load_risk_warning()
        load_non_working_days(year - YEARS_BACK, year + YEARS_AHEAD)

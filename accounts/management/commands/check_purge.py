"""`manage.py check_purge aml 2020-01-01 --by keeper`: may records of days before this one be purged?"""

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.services.retention import Kept, allow_purge
from totalizator.core.errors import DomainError


class Command(BaseCommand):
    help = "Say whether records may be purged; a purge of younger ones is refused and journalled. Deletes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kept", choices=Kept.values)
        parser.add_argument("before", type=date.fromisoformat)
        parser.add_argument("--by", required=True, help="Login of the organizer's person who asks.")

    def handle(self, *args: Any, kept: str, before: date, by: str, **options: Any) -> None:
        asked_by = User.objects.filter(username=by).first()
        if asked_by is None:
            raise CommandError(f"There is nobody called {by}.")
        try:
            stays = allow_purge(kept=Kept(kept), before=before, asked_by=asked_by)
        except DomainError as refusal:
            raise CommandError(str(refusal.message)) from refusal
        self.stdout.write(f"Records of days before {before} may go; from {stays} on they stay.")

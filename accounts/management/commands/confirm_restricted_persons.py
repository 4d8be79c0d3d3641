"""`manage.py confirm_restricted_persons FILE --by keeper --reason "…"`: a register that has shrunk is right (P2)."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.services.register_shrinkage import approve_shrunken, propose_shrunken
from totalizator.core.errors import DomainError


class Command(BaseCommand):
    help = "Confirm a register that has shrunk: one person with a reason, another with --approve."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--by", required=True, help="Login of the organizer's person who confirms.")
        step = parser.add_mutually_exclusive_group(required=True)
        step.add_argument("--reason", help="why it has shrunk: the first person's word")
        step.add_argument("--approve", action="store_true", help="the second person's word")

    def handle(self, *args: Any, file: Path, by: str, reason: str | None, approve: bool, **options: Any) -> None:
        person = User.objects.filter(username=by).first()
        if person is None:
            raise CommandError(f"There is nobody called {by}.")
        try:
            text = file.read_text(encoding="utf-8")
            if approve:
                approve_shrunken(text=text, approved_by=person)
            else:
                propose_shrunken(text=text, reason=reason or "", proposed_by=person)
        except (DomainError, OSError, UnicodeDecodeError) as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write("It can be read now." if approve else "Another person must approve it.")

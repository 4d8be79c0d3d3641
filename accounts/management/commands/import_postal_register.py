"""`manage.py import_postal_register FILE --by LOGIN`: tell a line of the post part by part (exit 1 on a fault)."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.services.postal_registers import import_postal_register
from totalizator.core.errors import DomainError
from totalizator.core.problem import told


class Command(BaseCommand):
    help = "Import a register of the post; the job that matches transfers then finds the place of each remittance."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--by", required=True, help="The login of the staff member who imports it.")

    def handle(self, *args: Any, file: Path, by: str, **options: Any) -> None:
        person = User.objects.filter(username=by).first()
        if person is None:
            raise CommandError(f"There is nobody with the login {by}.")
        try:
            register = import_postal_register(content=file.read_bytes(), imported_by=person)
        except DomainError as refusal:
            self.stdout.write(told(refusal))
            sys.exit(1)
        self.stdout.write(f"{register.remittances} remittances of register {register.number}.")

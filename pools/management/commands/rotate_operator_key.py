"""`manage.py rotate_operator_key`: register the operator's new key; the former one signs a public notice of it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.services.key_notices import change_operator_key
from totalizator.core.errors import DomainError
from totalizator.core.signing import operator_key_id


class Command(BaseCommand):
    """Run it with OPERATOR_KEY, the new key, and FORMER_OPERATOR_KEY, the one before, in the environment."""

    help = "Register the key of OPERATOR_KEY; FORMER_OPERATOR_KEY, if it is set, signs a public notice of it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Change the key."""
        try:
            notice = change_operator_key(actor="command:rotate_operator_key")
        except DomainError as refusal:
            raise CommandError(str(refusal.message)) from refusal
        told = "no notice: FORMER_OPERATOR_KEY is not set" if notice is None else f"named by {notice.former_id}"
        self.stdout.write(f"{operator_key_id()}: {told}")

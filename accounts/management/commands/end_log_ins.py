"""`manage.py end_log_ins LOGIN --by keeper --reason "…"`: log somebody out everywhere; or `--everybody`."""

from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.services.api_tokens import revoke_tokens
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


class Command(BaseCommand):
    help = "End every log-in of one person, and revoke the tokens; or end the log-ins of everybody."

    def add_arguments(self, parser: CommandParser) -> None:
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("login", nargs="?", help="Whose.")
        who.add_argument("--everybody", action="store_true")
        parser.add_argument("--by", required=True, help="Login of the organizer's person who does it.")
        parser.add_argument("--reason", required=True)

    def handle(self, *args: Any, login: str | None, everybody: bool, by: str, reason: str, **options: Any) -> None:
        try:
            staff = _called(by)
            refuse_all_but_staff(staff)
            whose = None if everybody else _called(login or "")
            ended = end_log_ins(whose=whose, ended_by=staff, reason=written(reason, field="reason"))
        except DomainError as refusal:
            raise CommandError(str(refusal.message)) from refusal
        self.stdout.write(f"Ended {ended} log-ins.")


def end_log_ins(*, whose: User | None, ended_by: User, reason: str) -> int:
    """End log-ins: their next request is nobody's; of one person also the programs' tokens. Return how many."""
    with one_transaction():
        sessions = Session.objects.all()
        listed = UserSession.objects.all()
        if whose is not None:
            listed = listed.filter(user=whose)
            sessions = sessions.filter(session_key__in=list(listed.values_list("session_key", flat=True)))
            revoke_tokens(user=whose)
        ended, _by_model = sessions.delete()
        listed.delete()
        subject = whose.actor if whose is not None else "everybody"
        write_journal(at=clock.now(), actor=ended_by.actor, act="end_log_ins", subject=subject, reason=reason)
    return ended


def _called(login: str) -> User:
    person = User.objects.filter(username=login).first()
    if person is None:
        raise CommandError(f"There is nobody called {login}.")
    return person

"""What only the holder of a ticket is told: the check code is asked for, and guessing it is slow (D-13)."""

from collections.abc import Callable
from typing import TypeVar

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Role, User
from accounts.permissions import terminal_of
from pools.services.tickets import normal_code
from totalizator.core import clock
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.throttle import network_subject, note_failure, refuse_when_throttled


class CheckBody(Body):
    """A ticket's number and its check code, as printed."""

    ticket = Text(max_length=60)
    check_code = Text(max_length=40)


T = TypeVar("T")
WRONG = (Refusal.WRONG_CODE, Refusal.PHONE_CODE_NEEDED)


def for_holder(request: Request, answer: Callable[[str, str], Response]) -> Response:
    """Answer to the number and code of the request's body; guessing is made slow.

    :raises DomainError: THROTTLED; WRONG_CODE as `answer` raises it.
    """
    asked = read_body(request, CheckBody)
    return guarded(request, asked["ticket"], lambda: answer(asked["ticket"], asked["check_code"]))


def guarded(request: Request, ticket: str, act: Callable[[], T]) -> T:
    """Do what a guesser of codes would try; count a wrong code against the ticket and against who asks.

    Desks are counted apart, each by its terminal or person: nobody elsewhere can keep a desk from paying a ticket.

    :raises DomainError: THROTTLED; what `act` refuses.
    """
    number, desk = normal_code(ticket), _desk_of(request)
    subjects = [f"desk-ticket:{number}", desk] if desk else [f"ticket:{number}", network_subject(request._request)]
    subjects = [subject[:60] for subject in subjects]
    refuse_when_throttled(subjects, clock.now())
    try:
        return act()
    except DomainError as refusal:
        if refusal.code in WRONG:
            note_failure(subjects, clock.now(), act="refuse_ticket", actor=desk or "anybody")
        raise


def _desk_of(request: Request) -> str:
    """Name the terminal, cashier or one of the staff who asks; empty for anybody else."""
    terminal = terminal_of(request)
    if terminal is not None:
        return terminal.actor
    who = request.user
    return who.actor if isinstance(who, User) and who.role in (Role.CASHIER, Role.ORGANIZER) else ""

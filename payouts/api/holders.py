"""What only the holder of a ticket is told: the check code is asked for, and guessing it is slow (D-13)."""

from collections.abc import Callable

from rest_framework.request import Request
from rest_framework.response import Response

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


def for_holder(request: Request, answer: Callable[[str, str], Response]) -> Response:
    """Answer to the number and code of the request's body; count a wrong code against number and network.

    :raises DomainError: THROTTLED; WRONG_CODE as `answer` raises it.
    """
    asked = read_body(request, CheckBody)
    subjects = [f"ticket:{normal_code(asked['ticket'])}"[:60], _guesser(request)]
    refuse_when_throttled(subjects, clock.now())
    try:
        return answer(asked["ticket"], asked["check_code"])
    except DomainError as refusal:
        if refusal.code == Refusal.WRONG_CODE:
            note_failure(subjects, clock.now(), act="refuse_ticket", actor="anybody")
        raise


def _guesser(request: Request) -> str:
    terminal = terminal_of(request)
    return terminal.actor if terminal is not None else network_subject(request._request)

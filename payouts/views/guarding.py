"""Acts of a page for which a ticket's code is shown: guessing it is slow, here as over the API (D-13)."""

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest

from pools.services.tickets import normal_code
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.throttle import network_subject, note_failure, refuse_when_throttled

T = TypeVar("T")
WRONG = (Refusal.WRONG_CODE, Refusal.PHONE_CODE_NEEDED)


def guarded_by_code(request: HttpRequest, ticket: str, act: Callable[[], T]) -> T:
    """Do what a guesser of codes would try; a wrong code counts together with those that the API was given.

    :raises DomainError: THROTTLED; what `act` refuses.
    """
    subjects = [f"ticket:{normal_code(ticket)}"[:60], network_subject(request)]
    refuse_when_throttled(subjects, clock.now())
    try:
        return act()
    except DomainError as refusal:
        if refusal.code in WRONG:
            note_failure(subjects, clock.now(), act="refuse_ticket", actor="anybody")
        raise

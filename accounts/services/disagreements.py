"""What a payment system says and does not fit what we know: it moves nothing, and goes into the queue (F1)."""

from collections.abc import Callable
from datetime import datetime

from accounts.models import Mismatch
from accounts.services.providers.interface import Outcome, Standing
from accounts.services.unmatched import close_agreeing, note_unmatched


class Disagreement(Exception):
    """What the payment system says does not fit what we know: for the queue."""

    def __init__(self, mismatch: Mismatch, ours: str, theirs: str) -> None:
        super().__init__(mismatch, ours, theirs)
        self.mismatch, self.ours, self.theirs = mismatch, ours, theirs


def told(state: str, amount: int, currency: str) -> str:
    """Write how a payment stands on one side: `done 1000 USD`, in minor units."""
    return f"{state} {amount} {currency}"


def number_in(reference: str, letter: str) -> int:
    """Return the number of a reference of ours, such as 17 of `D-17`; 0, which nothing has, of what we never wrote."""
    number = reference.removeprefix(f"{letter}-")
    written_by_us = number.isascii() and number.isdigit() and len(number) < 19 and f"{letter}-{number}" == reference
    return int(number) if written_by_us else 0


def step_or_queue(
    step: Callable[[], object], *, provider: str, reference: str, standing: Standing, at: datetime
) -> Disagreement | None:
    """Do what a payment system said, inside the caller's transaction; what does not agree is queued and returned.

    `step` raises a Disagreement before it moves anything. What agrees closes what waited in the queue of it.
    """
    try:
        step()
    except Disagreement as found:
        note_unmatched(
            provider=provider,
            reference=reference,
            mismatch=found.mismatch,
            ours=found.ours,
            theirs=found.theirs,
            at=at,
        )
        return found
    if standing.outcome != Outcome.UNDER_WAY:  # which is older news, and contradicts nothing
        close_agreeing(provider=provider, reference=reference, at=at)
    return None

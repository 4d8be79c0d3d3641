"""The queue of what does not agree between us and a payment system: people look at it, and decide (F1)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import HeldDeposit, HeldState, Mismatch, UnmatchedItem, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def note_unmatched(
    *,
    provider: str,
    reference: str,
    mismatch: Mismatch,
    ours: str,
    theirs: str,
    at: datetime,
    explanation: str = "",
) -> bool:
    """Put something into the queue, unless it stands there; return whether it is new. Inside the caller's transaction.

    What was closed and is told again comes anew: money that was right may be called back later.
    """
    _item, new = UnmatchedItem.objects.get_or_create(
        provider=provider,
        reference=reference[:80],
        mismatch=mismatch,
        theirs=theirs[:80],
        closed_at=None,
        defaults={"ours": ours[:80], "explanation": explanation, "found_at": at},
    )
    if new:
        write_journal(
            at=at,
            actor=f"provider:{provider}",
            act="note_unmatched",
            subject=f"payment:{reference}"[:120],
            reason=explanation,
            after={"mismatch": str(mismatch), "ours": ours, "theirs": theirs},
        )
    return new


def was_decided(*, provider: str, reference: str, mismatch: Mismatch, ours: str, theirs: str) -> bool:
    """Tell whether a person has closed just this before: a file that is read again need not ask again."""
    same = UnmatchedItem.objects.filter(provider=provider, reference=reference[:80], mismatch=mismatch)
    return same.filter(ours=ours[:80], theirs=theirs[:80], closed_by__isnull=False).exists()


def close_unmatched(*, item: UnmatchedItem, decision: str, closed_by: User) -> None:
    """Take something out of the queue, with what was done about it and by which document.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a decision; WRONG_STATE when it was closed before, and while its
        money is held: no text gives that back.
    """
    refuse_all_but_staff(closed_by)
    decision = written(decision, field="decision")
    with one_transaction():
        if _holds_money(item.provider, item.reference):
            raise DomainError(Refusal.WRONG_STATE, _("Its money is held: credit it, or give it back."))
        at = clock.now()
        found = UnmatchedItem.objects.filter(pk=item.pk, closed_at__isnull=True)
        if not found.update(closed_at=at, closed_by=closed_by, decision=decision):
            raise DomainError(Refusal.WRONG_STATE, _("This was closed before."))
        write_journal(
            at=at,
            actor=closed_by.actor,
            act="close_unmatched",
            subject=f"payment:{item.reference}",
            reason=decision,
        )
    item.refresh_from_db()


def close_agreeing(*, provider: str, reference: str, at: datetime) -> int:
    """Close what has come to agree by itself: a message that came late, a line in the next day's file."""
    found = UnmatchedItem.objects.filter(provider=provider, reference=reference, closed_at__isnull=True)
    stays = [Mismatch.REFUSED, *([Mismatch.AMOUNT] if _holds_money(provider, reference) else [])]
    return found.exclude(mismatch__in=stays).update(closed_at=at, decision="agrees now")


def _holds_money(provider: str, reference: str) -> bool:
    number = reference.removeprefix("D-")
    if not (number.isascii() and number.isdigit() and f"D-{number}" == reference and len(number) < 19):
        return False
    held = HeldDeposit.objects.filter(pk=int(number), deposit__provider=provider, state=HeldState.HELD)
    return held.exists()

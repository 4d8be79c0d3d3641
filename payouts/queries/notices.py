"""Which phones are to be told, and when winners are reminded (K6)."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from payouts.models import NoticeKind, NoticePhone, Payable, PayableKind, PayableState, WinnerNotice
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import legal_day


def reminding_until(at: datetime) -> datetime:
    """Return the instant before which a term must end to be reminded of at `at`: a dated number of days later."""
    return at + timedelta(days=int(legal_number("claim_reminder_days", legal_day(at))))


def phones_to_tell(kind: NoticeKind, at: datetime) -> QuerySet[NoticePhone]:
    """Return the phones of winnings that wait at desks, and that were not told this."""
    if kind == NoticeKind.WON:
        moment = Q(payable_from__lte=at, payable_until__gt=at)
    else:
        moment = Q(payable_until__gt=at, payable_until__lte=reminding_until(at))
    waiting = _due().filter(moment, pool=OuterRef("pool"), ticket=OuterRef("ticket"))
    told = WinnerNotice.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), kind=kind, player__isnull=True)
    return NoticePhone.objects.filter(Exists(waiting), ~Exists(told))


def due_on(pool_id: int, ticket: str) -> int:
    """Return what a ticket has won and was not paid yet, in kopecks."""
    due = _due().filter(pool_id=pool_id, ticket=ticket).aggregate(total=Sum("amount"))
    return int(due["total"] or 0)


def notices_of(player_id: int) -> QuerySet[WinnerNotice]:
    """Return what a player was told, the newest first."""
    return WinnerNotice.objects.filter(player_id=player_id).select_related("pool").order_by("-pk")


def _due() -> QuerySet[Payable]:
    return Payable.objects.filter(state=PayableState.DUE).exclude(kind=PayableKind.REFUND)

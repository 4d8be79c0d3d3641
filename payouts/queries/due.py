"""Which pools wait for a job of this app. Work is found by state, so that a lost message only delays it."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from payouts.models import LIVE, OPEN_DISPUTES, WINNINGS, Dispute, Payable, PayableState, TicketClaim
from pools.models import Pool, SettlementState
from pools.queries.corrections import pools_being_corrected

_DISPUTES = Dispute.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), state__in=OPEN_DISPUTES)
_DUE_OF_POOL = Payable.objects.filter(~Exists(_DISPUTES), pool=OuterRef("pk"), state=PayableState.DUE)


def pools_due_to_book() -> QuerySet[Pool]:
    """Pools that are settled officially, or cancelled, and whose payables are not drawn up."""
    decided = Q(settlement__state=SettlementState.OFFICIAL) | Q(cancellation__isnull=False)
    return Pool.objects.filter(decided, booking__isnull=True).order_by("closed_at", "pk")


def pools_due_to_credit(now: datetime) -> QuerySet[Pool]:
    """Pools that owe something to a game account or a card which may be paid by now; not while it is corrected."""
    due = Exists(_DUE_OF_POOL.filter(pay_to__isnull=False, payable_from__lte=now))
    return Pool.objects.filter(due).exclude(pk__in=pools_being_corrected().values("pk"))


def pools_due_to_expire(now: datetime) -> QuerySet[Pool]:
    """Pools with winnings that nobody came for in the term; not while the result is corrected."""
    claims = TicketClaim.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), state__in=LIVE)
    unclaimed = _DUE_OF_POOL.filter(kind__in=WINNINGS, pay_to__isnull=True, payable_until__lte=now).filter(
        ~Exists(claims)
    )
    return Pool.objects.filter(Exists(unclaimed)).exclude(pk__in=pools_being_corrected().values("pk"))


def pools_due_to_tell(now: datetime) -> QuerySet[Pool]:
    """Pools whose winnings are payable by now, and whose winners were not told; not while the result is corrected."""
    payable = Q(settlement__state=SettlementState.OFFICIAL, settlement__payable_from__lte=now)
    untold = Pool.objects.filter(payable, booking__isnull=False, told_winners__isnull=True)
    return untold.exclude(pk__in=pools_being_corrected().values("pk")).order_by("closed_at", "pk")

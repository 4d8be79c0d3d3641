"""Which pools can go into the archive: all is settled, paid or expired, answered, and long ago (X1)."""

from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.models import LedgerAccount
from payouts.models import (
    LIVE,
    OPEN_DISPUTES,
    CorrectedPayable,
    CorrectionOutcome,
    Dispute,
    OverpaidDecision,
    Payable,
    PayableState,
    ResultClaim,
    TicketClaim,
)
from pools.models import Bet, CorrectedWinning, Pool, PoolArchive, PoolState, SettlementState, Winning
from pools.queries.corrections import pools_being_corrected
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import legal_day


def long_ago(now: datetime) -> datetime:
    """Return the instant before which everything of a pool must have happened, by the number of today."""
    return now - timedelta(days=int(legal_number("archive_pools_after_days", legal_day(now))))


def pools_to_archive(now: datetime) -> QuerySet[Pool]:
    """Settled pools of which nothing is owed, disputed, claimed or being corrected, and nothing happened lately."""
    before = long_ago(now)
    of_pool = {"pool": OuterRef("pk")}
    undecided = CorrectedPayable.objects.filter(**of_pool, outcome=CorrectionOutcome.OVERPAID).exclude(
        Exists(OverpaidDecision.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), kind=OuterRef("kind")))
    )
    over = Pool.objects.filter(
        Q(correction__isnull=True) | Q(correction__state=SettlementState.OFFICIAL, correction__applied_at__lt=before),
        state=PoolState.SETTLED,
        settlement__state=SettlementState.OFFICIAL,
        settlement__official_at__lt=before,
        booking__isnull=False,
        commissions_posted__isnull=False,
    )
    return over.exclude(
        Q(Exists(Payable.objects.filter(Q(state=PayableState.DUE) | Q(settled_at__gte=before), **of_pool)))
        | Q(Exists(Dispute.objects.filter(**of_pool, state__in=OPEN_DISPUTES)))
        | Q(Exists(TicketClaim.objects.filter(**of_pool, state__in=LIVE)))
        | Q(Exists(ResultClaim.objects.filter(**of_pool, answer__isnull=True)))
        | Q(Exists(undecided))
        | Q(pk__in=pools_being_corrected().values("pk"))
    ).order_by("pk")


def owes_back(pool: Pool) -> bool:
    """Tell whether somebody still has to give something back of what a ticket of the pool was paid."""
    owing = LedgerAccount.objects.filter(kind=AccountKind.RECEIVABLE, owner__startswith=f"{pool.code}-")
    return any(balance(account) for account in owing)


def last_fact(pool: Pool) -> datetime:
    """Return when the last thing happened that a report tells of a ticket of the pool."""
    settled = Payable.objects.filter(pool=pool).aggregate(last=Max("settled_at"))["last"]
    computed = Pool.objects.filter(pk=pool.pk).values_list("settlement__official_at", "correction__applied_at").get()
    return max(at for at in (settled, *computed) if at is not None)


def archived_pools_with_rows() -> QuerySet[Pool]:
    """Archived pools whose rows are not all gone yet: the command was killed between the two."""
    rows = [Q(Exists(model._default_manager.filter(pool=OuterRef("pk")))) for model in (Bet, Winning, CorrectedWinning)]
    return Pool.objects.filter(rows[0] | rows[1] | rows[2], archive__isnull=False).order_by("pk")


def archived_in(since: datetime, until: datetime) -> QuerySet[PoolArchive]:
    """Return the archives of pools of which something happened in the period, `until` exclusive."""
    return PoolArchive.objects.filter(first_fact_at__lt=until, last_fact_at__gte=since)

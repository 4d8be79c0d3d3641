"""What waits about pools, tickets and bets: drafts, disputes, claims, large and wrong payments, bets to cancel."""

from django.db.models import Exists, OuterRef, QuerySet

from payouts.models import (
    ClaimState,
    LargePayment,
    OverpaidCase,
    OverpaidDecision,
    Payable,
    PayableState,
    ResultClaim,
    TicketClaim,
)
from payouts.queries.disputes import disputes_to_answer
from payouts.queries.waiting.shape import Line, Rows
from pools.models import (
    BetCancellation,
    BetCancellationProposal,
    Correction,
    Pool,
    PoolState,
    Settlement,
    SettlementState,
)
from totalizator.core.money import format_byn
from totalizator.core.names import localized


def drafts() -> Rows:
    """Pools that are prepared and that another person has to announce, before their bets open (A1, A6)."""
    rows = Pool.objects.filter(state=PoolState.DRAFT)
    return Rows(rows, "prepared_at", lambda row: f"{row.code}: {localized(row.terms.pool.name)}", due="opens_at")


def disputes() -> list[Line]:
    """Disputes that are not answered, each with the end of its term (¶45)."""
    return [Line(f"{number}: {ticket}", opened_at, due) for number, ticket, opened_at, due in disputes_to_answer()]


def result_claims() -> Rows:
    """Claims against a published result that are not answered (¶33)."""
    rows = ResultClaim.objects.filter(answer__isnull=True).select_related("pool")
    return Rows(rows, "filed_at", lambda row: f"{row.pk}: {row.pool.code}, {row.issuer}")


def ticket_claims() -> Rows:
    """Claims to lost tickets that nobody has decided (K4)."""
    rows = TicketClaim.objects.filter(state__in=(ClaimState.OPEN, ClaimState.DISPUTED))
    return Rows(rows, "opened_at", lambda row: f"{row.pk}: {row.ticket}")


def large_payments() -> Rows:
    """Large payments that were prepared and not approved: of a ticket the latest, while it is due (K1)."""
    of_ticket = {"pool": OuterRef("pool"), "ticket": OuterRef("ticket")}
    rows = LargePayment.objects.filter(
        Exists(Payable.objects.filter(**of_ticket, state=PayableState.DUE)),
        ~Exists(LargePayment.objects.filter(**of_ticket, pk__gt=OuterRef("pk"))),
        approval__isnull=True,
    )
    return Rows(rows, "prepared_at", lambda row: f"{row.ticket}: {format_byn(row.amount)}")


def overpaid() -> Rows:
    """What a correction shows to be overpaid, and nobody has decided to ask back or to waive (I10)."""
    decided = OverpaidDecision.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), kind=OuterRef("kind"))
    rows = OverpaidCase.objects.filter(~Exists(decided))
    return Rows(rows, "opened_at", lambda row: f"{row.ticket}: {format_byn(row.receivable)}")


def bet_cancellations() -> Rows:
    """Bets that somebody proposes to cancel: of a ticket the latest proposal (¶29)."""
    return Rows(standing_cancellations(), "proposed_at", lambda row: f"{row.ticket}: {row.reason}")


def standing_cancellations() -> QuerySet[BetCancellationProposal]:
    """Return the latest proposals to cancel a bet of bets that are not cancelled."""
    of_ticket = {"pool": OuterRef("pool"), "ticket": OuterRef("ticket")}
    return BetCancellationProposal.objects.filter(
        ~Exists(BetCancellation.objects.filter(**of_ticket)),
        ~Exists(BetCancellationProposal.objects.filter(**of_ticket, pk__gt=OuterRef("pk"))),
    )


def disputed_settlements() -> Rows:
    """Settlements of which the two computations differ (I9)."""
    rows = Settlement.objects.filter(state=SettlementState.DISPUTED, pool__state=PoolState.RESULTED)
    return Rows(rows.select_related("pool"), "calculated_at", _difference)


def disputed_corrections() -> Rows:
    """Corrections of settlements of which the two computations differ (I9, H5)."""
    rows = Correction.objects.filter(state=SettlementState.DISPUTED).select_related("pool")
    return Rows(rows, "calculated_at", _difference)


def _difference(row: Settlement | Correction) -> str:
    return f"{row.pool.code}: {row.difference}"

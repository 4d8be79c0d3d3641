"""Which pools a correction of their settlement holds up, and what was overpaid before it (H5, I10)."""

from django.db.models import QuerySet

from payouts.models import CorrectedPayable, CorrectionOutcome, OverpaidDecision, OverpaidProposal, OverpaidState
from pools.models import Pool, SettlementState
from pools.queries.corrections import pools_being_corrected


def pools_due_to_apply() -> QuerySet[Pool]:
    """Pools whose correction is official and not applied to what is owed on tickets."""
    official = Pool.objects.filter(correction__state=SettlementState.OFFICIAL, correction__applied_at__isnull=True)
    return official.order_by("closed_at", "pk")


def is_being_corrected(pool_id: int) -> bool:
    """Tell whether nothing of a pool is paid, as a protocol that corrects its result waits to be signed or applied."""
    return pools_being_corrected().filter(pk=pool_id).exists()


def overpaid_cases() -> QuerySet[CorrectedPayable]:
    """Return what was paid and is not owed by the correction."""
    return CorrectedPayable.objects.filter(outcome=CorrectionOutcome.OVERPAID).select_related("pool")


def state_of_case(case: CorrectedPayable) -> OverpaidState:
    """Return where a case stands, by its proposals and its decision."""
    decision = OverpaidDecision.objects.filter(pk=case.pk).select_related("proposal").first()
    if decision is not None:
        return OverpaidState.RECLAIMED if decision.proposal.reclaim else OverpaidState.WAIVED
    return OverpaidState.PROPOSED if standing_proposal(case) is not None else OverpaidState.OPEN


def standing_proposal(case: CorrectedPayable) -> OverpaidProposal | None:
    """Return the latest proposal about a case."""
    proposals = OverpaidProposal.objects.filter(pool_id=case.pool_id, ticket=case.ticket, kind=case.kind)
    return proposals.select_related("proposed_by").order_by("-pk").first()

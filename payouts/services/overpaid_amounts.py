"""How much of a payment a correction shows to be too much (I10)."""

from payouts.models import CorrectedPayable, PayableKind, Payment
from payouts.services.taxing import tax_rule
from pools.models import Bet
from totalizator.engine.deadlines import legal_day


def handed_over_too_much(case: CorrectedPayable) -> int:
    """Return what the player was handed beyond what would have been right, in kopecks: the tax stays with the state."""
    payment = Payment.objects.get(pk=case.pk)
    if case.kind == PayableKind.REFUND:
        return payment.handed_over - case.after
    stake = Bet.objects.values_list("stake", flat=True).get(pool_id=case.pool_id, ticket=case.ticket)
    right = case.after - tax_rule(legal_day(payment.paid_at)).tax_on(case.after, stake)
    return max(payment.handed_over - right, 0)

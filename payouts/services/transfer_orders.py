"""Payment orders for what bets paid by transfer win, or get back: to where the stake came from, or by post (¶41-43)."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.services.payment_orders import Payee, draw_up_order
from payouts.models import WINNINGS, Payment, PaymentMethod
from pools.models import BetOrder, Pool


def draw_up_orders(pool: Pool, payments: Sequence[Payment], *, at: datetime, actor: str) -> None:
    """Draw up the order of each payment that goes by the bank, in the transaction that moves its money."""
    by_bank = [payment for payment in payments if payment.method == PaymentMethod.TRANSFER and payment.net]
    if not by_bank:
        return
    tickets = [payment.ticket for payment in by_bank]
    payers = {order.ticket: order for order in BetOrder.objects.filter(pool=pool, ticket__in=tickets)}
    for payment in by_bank:
        payer = payers[payment.ticket]
        draw_up_order(
            cause=f"{payment.kind}:{payment.ticket}",
            payee=Payee(payer.payer_name, payer.payer_account, address=payer.payer_address),
            amount=payment.net,
            purpose=_purpose(payment),
            at=at,
            actor=actor,
        )


def _purpose(payment: Payment) -> str:
    """Say what the order is for, in the house's language, whoever draws it up."""
    with override(settings.LANGUAGE_CODE):
        if payment.kind in WINNINGS:
            return _("Winning of ticket %(ticket)s, tax withheld") % {"ticket": payment.ticket}
        return _("Returned stake of ticket %(ticket)s") % {"ticket": payment.ticket}

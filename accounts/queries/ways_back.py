"""What has to go back to credit cards first (¶41)."""

from collections.abc import Mapping

from django.db.models import Sum

from accounts.models import (
    GameAccount,
    InstrumentKind,
    PaymentInstrument,
    TopUp,
    Withdrawal,
    WithdrawalState,
)

_NOT_PAID = (WithdrawalState.FAILED, WithdrawalState.CANCELLED)


def owed_to_credit_cards(account: GameAccount) -> Mapping[PaymentInstrument, int]:
    """Return the kopecks that came from each credit card and have not gone back to it, from the oldest card.

    What is on its way back counts as gone back.
    """
    cards = PaymentInstrument.objects.filter(account=account, kind=InstrumentKind.CREDIT_CARD).order_by("pk")
    came = TopUp.objects.filter(account=account, instrument__in=cards)
    went = Withdrawal.objects.filter(account=account, instrument__in=cards).exclude(state__in=_NOT_PAID)
    sums = {
        row: dict(rows.values_list("instrument").annotate(total=Sum("amount")))
        for row, rows in (("came", came), ("went", went))
    }
    owed = {card: int(sums["came"].get(card.pk, 0) - sums["went"].get(card.pk, 0)) for card in cards}
    return {card: amount for card, amount in owed.items() if amount > 0}

"""How a winning or a returned stake goes back: as a rule the way the stake came (¶41-43), with which document."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import LedgerAccount
from payouts.models import CashWish, PaymentMethod
from payouts.queries.ticket_owners import account_wished
from pools.models import Bet, Channel


class PayingDocument(TextChoices):
    """By which paper a payment is told."""

    RECEIPT = "receipt", _("receipt of the till, for the ticket")
    STATEMENT = "statement", _("statement of the game account")
    CARD = "card", _("the card's balance")
    PAYMENT_ORDER = "payment_order", _("payment order to the bank")


# Paper forms and agents are paid at tills: whoever brings the ticket gets cash (D-13).
METHODS: Mapping[Channel, PaymentMethod] = {
    Channel.CASH: PaymentMethod.CASH,
    Channel.PAPER: PaymentMethod.CASH,
    Channel.ACCOUNT: PaymentMethod.GAME_ACCOUNT,
    Channel.CARD: PaymentMethod.CARD,
    Channel.TRANSFER: PaymentMethod.TRANSFER,
}
DOCUMENTS: Mapping[PaymentMethod, PayingDocument] = {
    PaymentMethod.CASH: PayingDocument.RECEIPT,
    PaymentMethod.GAME_ACCOUNT: PayingDocument.STATEMENT,
    PaymentMethod.CARD: PayingDocument.CARD,
    PaymentMethod.TRANSFER: PayingDocument.PAYMENT_ORDER,
}


@dataclass(frozen=True, slots=True)
class WayBack:
    """Where the money of a bet goes: `pay_to` is empty for cash, which waits for who brings the ticket."""

    method: PaymentMethod
    document: PayingDocument
    pay_to: LedgerAccount | None


def is_paid_to_bearer(bet: Bet) -> bool:
    """Tell whether what the bet wins is paid in cash to who brings the ticket."""
    if account_wished(bet) is not None:
        return False
    if METHODS[Channel(bet.channel)] == PaymentMethod.CASH:
        return True
    return CashWish.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket).exists()


def pay_back_the_way_it_came(bet: Bet) -> WayBack:
    """Return how what the bet wins goes back; a signed wish comes before the rule (¶41)."""
    wished = account_wished(bet)
    if wished is not None:
        return WayBack(PaymentMethod.GAME_ACCOUNT, PayingDocument.STATEMENT, wished)
    method = METHODS[Channel(bet.channel)]
    if CashWish.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket).exists():
        method = PaymentMethod.CASH
    pay_to = {
        PaymentMethod.GAME_ACCOUNT: bet.paid_from,
        PaymentMethod.CARD: bet.paid_from,
        PaymentMethod.TRANSFER: ledger_account(AccountKind.ORDERS_DUE),
    }.get(method)
    return WayBack(method, DOCUMENTS[method], pay_to)

"""A winning goes back to the card that staked, or by the player's signed wish is paid by the ticket in cash (¶41)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import written
from payouts.locks import hold_ticket, lock_payables_of
from payouts.models import WINNINGS, CashWish, Payable, PayableState
from payouts.queries.ticket_owners import account_wished
from payouts.queries.tickets import find_ticket
from pools.locks import hold_pool_shared
from pools.models import Bet, Channel
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def wish_cash(*, ticket: str, check_code: str, document: str, cashier: User) -> CashWish:
    """Note the signed wish of who holds the ticket of a card bet: its winning will be paid by the ticket in cash.

    From then on it is a cash ticket, with a cash ticket's term. A returned stake goes to the card all the same (D-12).
    Noted again it returns the first wish.

    :raises DomainError: NOT_ALLOWED for anyone but a cashier at a till, when the bet was not paid by card, or when its
        player wishes it on the game account;
        WRONG_CODE; BAD_VALUE without a document; ALREADY_PAID when the winning is on the card already.
    """
    desk = from_till(cashier)
    assert desk.till is not None
    document, bet = written(document, field="document"), find_ticket(ticket, check_code)
    if bet.channel != Channel.CARD:
        raise DomainError(Refusal.NOT_ALLOWED, _("This bet was not paid by a prepaid card."), field="ticket")
    with one_transaction():
        hold_pool_shared(bet.pool_id)  # so that payables are drawn up before the wish, or know of it
        hold_ticket(bet.pool_id, bet.ticket)
        if account_wished(bet) is not None:
            message = _("This ticket is bound to a game account, which its winning goes to (¶41).")
            raise DomainError(Refusal.NOT_ALLOWED, message, field="ticket")
        _turn_to_cash(bet)
        at = clock.now()
        wish, new = CashWish.objects.get_or_create(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            defaults={"document": document, "till": desk.till, "taken_by": cashier, "taken_at": at},
        )
        if new:
            write_journal(
                at=at, actor=cashier.actor, act="wish_cash", subject=f"bet:{bet.ticket}", after={"document": document}
            )
    return wish


def _turn_to_cash(bet: Bet) -> None:
    """Let a winning that is already drawn up, and not credited yet, wait for the ticket."""
    for payable in lock_payables_of(bet.pool_id, bet.ticket):
        if payable.kind not in WINNINGS:
            continue
        if payable.state == PayableState.PAID:
            raise DomainError(Refusal.ALREADY_PAID, _("It was paid already."), paid_at=payable.settled_at)
        Payable.objects.filter(pk=payable.pk, state=PayableState.DUE).update(pay_to=None)

"""What is owed to prepaid cards: credited to those that pay, to be come for in cash where the card no longer does.

Two things keep a winning from being lost with the card (¶12, ¶40, ¶41): a card to which something is credited stays
valid for as long as a winning can be claimed, and what would go to a card that is out of date is paid by the ticket.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.ledger.kinds import AccountKind
from accounts.locks import lock_cards
from accounts.models import CardState, PrepaidCard
from payouts.locks import Creditable
from payouts.models import Payable
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import legal_day


def creditable_now(payables: Sequence[Creditable], *, at: datetime, actor: str) -> list[Creditable]:
    """Return those of the locked payables that can be credited; the cards among them are locked, and stay valid.

    The others, whose card is out of date, become payable in cash to who brings the ticket.
    """
    owed = {p.pay_to.pk for p in payables if p.pay_to.kind == AccountKind.PREPAID_CARD}
    if not owed:
        return list(payables)
    standing = PrepaidCard.objects.exclude(state=CardState.REPLACED)
    cards = lock_cards(standing.filter(ledger_account__in=owed))
    dead = [card for card in cards if card.state == CardState.EXPIRED or card.expires_at <= at]
    usable = [card for card in cards if card not in dead]
    _prolong(usable, at)
    lost = {card.ledger_account_id for card in dead}
    _release_to_cash([payable for payable in payables if payable.pay_to.pk in lost], at, actor)
    # An account whose card was being replaced is in neither: the next round finds its new card.
    waiting = owed - {card.ledger_account_id for card in usable}
    return [payable for payable in payables if payable.pay_to.pk not in waiting]


def _prolong(cards: Sequence[PrepaidCard], at: datetime) -> None:
    until = at + timedelta(days=int(legal_number("card_days_after_credit", legal_day(at))))
    PrepaidCard.objects.filter(pk__in=[card.pk for card in cards], expires_at__lt=until).update(expires_at=until)


def _release_to_cash(payables: Sequence[Creditable], at: datetime, actor: str) -> None:
    if payables:
        Payable.objects.filter(pk__in=[(payable.pool_id, payable.ticket, payable.kind) for payable in payables]).update(
            pay_to=None
        )
    for payable in payables:
        write_journal(
            at=at,
            actor=actor,
            act="pay_in_cash_instead",
            subject=f"bet:{payable.ticket}",
            reason="The card is out of date.",
            before={"pay_to": str(payable.pay_to)},
            after={"pay_to": None, "amount": payable.amount},
        )
